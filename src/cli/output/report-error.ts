import { ToolmapError } from "../../core/errors.ts";
import { EXIT, type ExitCode, exitOfError } from "../exit-code.ts";
import type { Output } from "./output.ts";
import { visibleLine, visibleText } from "./visible-text.ts";

/** What `--json` says about a failure. `code` is one of errors.ts or the outcome of a call. */
export interface ErrorDocument {
  readonly error: { readonly code: string; readonly message: string; readonly fix?: string; readonly source?: string };
}

/** Says what was thrown, as the document or on stderr, and gives the exit code. Never a stack, but for `-v`. */
export function reportError(error: unknown, out: Output): ExitCode {
  const known = error instanceof ToolmapError ? error : asInternal(error);
  const { code, message, fix, source } = known;
  sayError({ code, message, fix, source }, out);
  if (out.verbose && error instanceof Error) out.failure(visibleText(error.stack ?? ""));
  return exitOfError(code);
}

/** A name that no tool has, told as an error by the commands that only look. `message` is the engine's. */
export function reportUnknownTool(message: string, out: Output): ExitCode {
  sayError({ code: "unknown-tool", message, fix: undefined, source: undefined }, out);
  return EXIT.unknownTool;
}

/** Told to stop before there was a result to tell of. */
export function reportStopped(out: Output): ExitCode {
  sayError({ code: "cancelled", message: "Stopped before anything ran.", fix: undefined, source: undefined }, out);
  return EXIT.cancelled;
}

interface Said {
  readonly code: string;
  readonly message: string;
  readonly fix: string | undefined;
  readonly source: string | undefined;
}

function sayError({ code, message, fix, source }: Said, out: Output): void {
  if (out.json && !out.hasDocument) {
    const document: ErrorDocument = {
      error: { code, message, ...(fix === undefined ? {} : { fix }), ...(source === undefined ? {} : { source }) },
    };
    out.document(document);
    return;
  }
  const place = source === undefined ? "" : `${visibleLine(source)}: `;
  out.failure(`${out.paintWords("red", "toolmap:")} ${place}${visibleText(message)}`);
  if (fix !== undefined) out.failure(visibleText(fix));
}

function asInternal(error: unknown): ToolmapError {
  const message = error instanceof Error ? error.message : String(error);
  return new ToolmapError("internal", `toolmap failed: ${message}`, {
    cause: error,
    fix: "This is a defect of toolmap; -v shows where.",
  });
}
