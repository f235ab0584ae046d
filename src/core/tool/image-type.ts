/** What an image is by the first bytes of its format, read in their base64 form. Undefined for what they do not tell. */
export function imageTypeOf(data: string): string | undefined {
  if (data.startsWith("iVBORw0KGg")) return "image/png";
  if (data.startsWith("/9j/")) return "image/jpeg";
  if (data.startsWith("R0lGOD")) return "image/gif";
  return /^UklGR.{6}XRUJQ/.test(data) ? "image/webp" : undefined;
}
