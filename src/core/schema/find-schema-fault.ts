export function findSchemaFault(schema: unknown): { readonly path: string; readonly message: string } | undefined {
  return typeof schema === "object" && schema !== null ? undefined : { path: "", message: "not an object" };
}
