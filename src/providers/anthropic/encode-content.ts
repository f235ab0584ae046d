import { clipText } from "../../core/json.ts";
import type { Content } from "../../core/tool/content.ts";
import { encodeImage } from "./encode-image.ts";
import type { AnthropicBlock } from "./wire.ts";

/** One block of a result as the model may see it. What it cannot see is described in words. */
export function encodeContent(block: Content, { imagesAllowed }: { readonly imagesAllowed: boolean }): AnthropicBlock {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return (imagesAllowed ? encodeImage(block) : undefined) ?? describeBytes("image", block);
    case "audio":
    case "file":
      return describeBytes(block.type, block);
    case "resource":
      return encodeResource(block.resource, imagesAllowed);
    case "resource_link":
      return describeLink(block);
    case "unknown":
      return describe("block of an unknown kind", [clipText(JSON.stringify(block.value), 2000)]);
  }
}

type Resource = Extract<Content, { readonly type: "resource" }>["resource"];

function encodeResource(resource: Resource, imagesAllowed: boolean): AnthropicBlock {
  const { uri, mimeType = "application/octet-stream" } = resource;
  if ("text" in resource) {
    return resource.text.trim() === "" ? describe("empty resource", [uri]) : text(resource.text);
  }
  const bytes = { data: resource.blob, mimeType };
  return (imagesAllowed ? encodeImage(bytes) : undefined) ?? describeBytes("resource", { ...bytes, name: uri });
}

interface Bytes {
  readonly data: string;
  readonly mimeType: string;
  readonly name?: string;
}

function describeBytes(kind: string, { data, mimeType, name }: Bytes): AnthropicBlock {
  return describe(`${kind} that cannot be shown here`, [name, mimeType, `${decodedLength(data)} bytes`]);
}

function describeLink({ uri, name, mimeType, description }: Extract<Content, { readonly type: "resource_link" }>) {
  return describe("link to a resource", [name, uri, mimeType, description]);
}

function describe(what: string, facts: readonly (string | undefined)[]): AnthropicBlock {
  const said = facts.filter((fact) => fact !== undefined && fact !== "");
  return text(`(${what}: ${said.join(", ")})`);
}

/** How many bytes the base64 text stands for. */
function decodedLength(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}

function text(value: string): AnthropicBlock {
  return { type: "text", text: value.toWellFormed() };
}
