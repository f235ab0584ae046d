import type { AgentTool } from "./tool.ts";
export function defineTool(d: any): AgentTool<any, any> {
  const schema = d.input["~standard"] ? d.input["~standard"].jsonSchema.input({ target: "draft-2020-12" }) : d.input;
  return { ...d, descriptor: { name: d.name, description: d.description, inputSchema: schema, owner: { kind: "custom" }, executor: { kind: "custom", toolName: d.name }, availability: d.availability }, execute: d.execute };
}
