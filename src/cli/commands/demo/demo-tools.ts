import { defineTool } from "../../../core/tool/define-tool.ts";
import type { AnyTool } from "../../../core/tool/tool.ts";

export interface DemoTools {
  readonly tools: readonly AnyTool[];
  /** Lets the slow service answer. */
  readonly answerSlow: () => void;
}

/** The tools that the demo brings along, beside the built-in ones: plain functions with a schema. */
export function createDemoTools(): DemoTools {
  let answerSlow = (): void => undefined;
  const slow = new Promise<void>((resolve) => (answerSlow = resolve));
  return { tools: [webSearch, deploy, fetchStatus(slow)], answerSlow: () => answerSlow() };
}

const webSearch = defineTool({
  name: "web_search",
  description: "Searches the web.",
  input: textInput("query", "What to look for."),
  availability: { kind: "env", name: "BRAVE_API_KEY" },
  annotations: { readOnlyHint: true },
  execute: () => {
    throw new Error("The demo has no network.");
  },
});

const deploy = defineTool({
  name: "deploy",
  description: "Puts the project online.",
  input: textInput("target", "Where to."),
  annotations: { destructiveHint: true },
  execute: () => "online",
});

/** One service is down, one is slow, one is quick. The slow one is slower than the quick one on every machine. */
function fetchStatus(slow: Promise<void>): AnyTool {
  return defineTool({
    name: "fetch_status",
    description: "Says how a service of the project is doing.",
    input: textInput("service", "Its name."),
    annotations: { readOnlyHint: true },
    execute: async ({ service }) => {
      if (service === "billing") throw new Error("503 from billing, back at noon");
      if (service === "tides") await slow;
      return `${service} is up`;
    },
  });
}

function textInput(
  name: string,
  description: string,
): {
  readonly type: "object";
  readonly properties: Readonly<Record<string, { readonly type: "string"; readonly description: string }>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
} {
  return {
    type: "object",
    properties: { [name]: { type: "string", description } },
    required: [name],
    additionalProperties: false,
  };
}
