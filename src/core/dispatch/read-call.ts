import { freezeJson, isRecord, type JsonObject } from "../json.ts";
import type { ToolCall } from "../tool/call.ts";
import { copyJson } from "../tool/read-content.ts";

/** A call as it was when it came: each member read once, so that nothing which the caller holds can change it or throw later. */
export class GivenCall {
  readonly id: string | undefined;
  /** Empty where none was given that is text. */
  readonly name: string;
  readonly input: unknown;
  readonly truncated: boolean;
  /** A frozen copy: hooks and observers see it. */
  readonly meta: JsonObject | undefined;
  /** One of its members could not be read. */
  readonly isUnreadable: boolean;

  constructor(call: ToolCall | undefined) {
    const { id, name, meta } = call ?? NO_CALL;
    this.id = typeof id === "string" && id !== "" ? id : undefined;
    this.name = typeof name === "string" ? name : "";
    this.input = call?.input;
    this.truncated = call?.truncated === true;
    this.meta = meta === undefined ? undefined : copyMeta(meta);
    this.isUnreadable = call === undefined;
  }
}

/** Reads whatever was given as a call. Never throws. */
export function readCall(call: ToolCall | GivenCall): GivenCall {
  if (call instanceof GivenCall) return call;
  try {
    return new GivenCall(call ?? NO_CALL);
  } catch {
    return UNREADABLE;
  }
}

/** In place of a call that is none: it is answered like any other, with a tool that nobody has. */
const NO_CALL: ToolCall = Object.freeze({ name: "" });

const UNREADABLE = new GivenCall(undefined);

function copyMeta(meta: unknown): JsonObject | undefined {
  const copy = copyJson(meta);
  return isRecord(copy) ? freezeJson(copy) : undefined;
}
