// The door "toolmap/builtin".
export {};
