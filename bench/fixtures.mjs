/** Twenty tools with async executors that do nothing. */
export function noopTools(count = 20, schema = TWO_STRINGS) {
  return Array.from({ length: count }, (_, at) => ({
    descriptor: {
      name: `tool_${at}`,
      description: `Tool number ${at}.`,
      inputSchema: structuredClone(schema),
      owner: { kind: "custom" },
      executor: { kind: "custom", toolName: `tool_${at}` },
    },
    execute: async () => "ok",
  }));
}

export const TWO_STRINGS = {
  type: "object",
  properties: { path: { type: "string" }, query: { type: "string" } },
  required: ["path", "query"],
  additionalProperties: false,
};

export const FIFTEEN_FIELDS = {
  type: "object",
  properties: {
    id: { type: "string", minLength: 1 },
    title: { type: "string", maxLength: 200 },
    body: { type: "string" },
    count: { type: "integer", minimum: 0 },
    ratio: { type: "number" },
    urgent: { type: "boolean" },
    state: { enum: ["open", "closed", "draft"] },
    tags: { type: "array", items: { type: "string" }, maxItems: 20 },
    author: { type: "object", properties: { name: { type: "string" }, mail: { type: "string" } }, required: ["name"] },
    from: { type: "string" },
    to: { type: "string" },
    limit: { type: "integer", minimum: 1, maximum: 100 },
    offset: { type: "integer" },
    kind: { type: "string" },
    notes: { type: "array", items: { type: "object", properties: { text: { type: "string" } } } },
  },
  required: ["id", "title", "count"],
  additionalProperties: false,
};

export const twoStrings = (at) => ({ path: `src/file-${at % 97}.ts`, query: "needle" });
export const fifteenFields = (at) => ({
  id: `id-${at % 97}`,
  title: "A title of a usual length",
  body: "Some words that make a body, not too short.",
  count: at % 100,
  ratio: 0.5,
  urgent: false,
  state: "open",
  tags: ["one", "two", "three"],
  author: { name: "Ada", mail: "ada@example.test" },
  from: "2026-01-01",
  to: "2026-12-31",
  limit: 20,
  offset: 40,
  kind: "issue",
  notes: [{ text: "first" }, { text: "second" }],
});

/** Two layers that allow and deny things, so that policy is on. */
export const POLICY = [
  { name: "global", deny: ["group:web"] },
  { name: "project", allow: ["tool_*"], ask: ["tool_19"] },
];
export const HOOKS = [{ name: "pair", beforeToolCall: () => undefined, afterToolCall: () => undefined }];
