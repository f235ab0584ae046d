// The door "toolmap/builtin".
export { type BuiltinOptions, builtinTools } from "./builtin-tools.ts";
