export interface SchemaIssue {
  readonly path: string;
  readonly expected: string;
  readonly received: string;
  readonly optional: boolean;
  readonly hint?: string;
}
export function formatIssues(name: string, issues: readonly SchemaIssue[]): string {
  return `The input of "${name}" does not fit:\n${issues.map((i) => `- ${i.path}: expected ${i.expected}, got ${i.received}`).join("\n")}`;
}
