/** A breach of the planner's contract in strict mode. */
export class ToolPlanContractError extends Error {
  readonly code: "duplicate-tool-name" | "missing-executor";
  readonly toolName: string;

  constructor(code: "duplicate-tool-name" | "missing-executor", toolName: string, message: string) {
    super(message);
    this.name = "ToolPlanContractError";
    this.code = code;
    this.toolName = toolName;
  }
}
