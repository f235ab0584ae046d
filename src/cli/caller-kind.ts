import type { Caller } from "../core/tool/call.ts";

/** What `--as` takes. */
export const CALLER_KINDS = ["model", "person", "program"] as const;
export type CallerKind = Caller["kind"];
