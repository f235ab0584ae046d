import type Anthropic from "@anthropic-ai/sdk";
import * as fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { Content, JsonValue, ToolResult } from "toolmap";
import { anthropic, type AnthropicBlock } from "toolmap/providers";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const JPEG = "/9j/4AAQSkZJRgABAQEASABIAAD=";

function result(content: readonly Content[], more: Partial<ToolResult> = {}): ToolResult {
  return { callId: "toolu_1", name: "read", outcome: "ok", isError: false, content, ...more };
}
function blocksOf(content: readonly Content[], more: Partial<ToolResult> = {}): AnthropicBlock[] {
  return anthropic.encodeResults([result(content, more)]).content[0]?.content ?? [];
}
function textOf(content: readonly Content[], more: Partial<ToolResult> = {}): string {
  return blocksOf(content, more)
    .map((block) => (block.type === "text" ? block.text : `<${block.source.media_type}>`))
    .join("\n");
}

describe("encodeResults", () => {
  test("encodeResults fits the SDK's message as it stands", () => {
    expectTypeOf(anthropic.encodeResults([])).toExtend<Anthropic.MessageParam>();
    expectTypeOf(anthropic.encodeResults([])).toExtend<Anthropic.Beta.BetaMessageParam>();
  });

  test("encodeResults answers in order, one block each", () => {
    const first = result([{ type: "text", text: "one" }]);
    const second = result([{ type: "text", text: "no" }], { callId: "toolu_2", outcome: "denied", isError: true });
    expect(anthropic.encodeResults([first, second])).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", is_error: false, content: [{ type: "text", text: "one" }] },
        { type: "tool_result", tool_use_id: "toolu_2", is_error: true, content: [{ type: "text", text: "no" }] },
      ],
    });
  });

  test("TRN-05 encodeResults answers a repeated call by the id that its provider gave", () => {
    expect(anthropic.encodeResults([result([], { callId: "call_0#2" })]).content[0]?.tool_use_id).toBe("call_0");
  });

  test("encodeResults keeps details from the model", () => {
    const message = anthropic.encodeResults([
      result([{ type: "text", text: "x", _meta: { secret: "m" } }], {
        details: { notes: ["private"], answeredBy: "who" },
      }),
    ]);
    expect(JSON.stringify(message)).not.toMatch(/private|who|secret/);
  });

  test("TRN-10 encodeResults never sends an empty result or an empty block", () => {
    for (const content of [[], [{ type: "text", text: "" }], [{ type: "text", text: " \n" }]] satisfies Content[][]) {
      expect(blocksOf(content)).toEqual([{ type: "text", text: "(no output)" }]);
    }
    const around = blocksOf([
      { type: "text", text: "" },
      { type: "text", text: "x" },
    ]);
    expect(around).toEqual([{ type: "text", text: "x" }]);
  });

  test("RES-08 encodeResults shows structured content when there is no text", () => {
    expect(textOf([], { structuredContent: { n: 3 } })).toBe('{"n":3}');
    expect(textOf([{ type: "text", text: "three" }], { structuredContent: { n: 3 } })).toBe("three");
    const image: Content = { type: "image", data: PNG, mimeType: "image/png" };
    expect(textOf([image], { structuredContent: { n: 3 } })).toBe('<image/png>\n{"n":3}');
  });

  test("encodeResults sends the four kinds of image that the API reads", () => {
    const types = ["image/png", "image/jpeg", "image/gif", "image/webp", "IMAGE/JPG", "image/png; q=1"];
    const sent = types.map((mimeType) => textOf([{ type: "image", data: "AAAA", mimeType }]));
    expect(sent).toEqual(["png", "jpeg", "gif", "webp", "jpeg", "png"].map((kind) => `<image/${kind}>`));
  });

  test("encodeResults believes an image's bytes over its declared type", () => {
    const webp = btoa("RIFF\u00ff\u00fe\u00fd\u0001WEBPVP8L");
    const sent = [JPEG, btoa("GIF89a"), webp, PNG].map((data) =>
      textOf([{ type: "image", data, mimeType: "image/png" }]),
    );
    expect(sent).toEqual(["<image/jpeg>", "<image/gif>", "<image/webp>", "<image/png>"]);
  });

  test("TRN-12 encodeResults describes an image that the API cannot read", () => {
    const svg: Content = { type: "image", data: btoa("<svg/>"), mimeType: "image/svg+xml" };
    expect(textOf([svg])).toBe("(image that cannot be shown here: image/svg+xml, 6 bytes)");
    for (const data of ["", "not base64!", "data:image/png;base64,AAAA", "AAA", "A".repeat(5 * 1024 * 1024 + 4)]) {
      expect(blocksOf([{ type: "image", data, mimeType: "image/png" }])[0]?.type).toBe("text");
    }
  });

  test("encodeResults sends no image beside an error, which the API refuses", () => {
    const image: Content = { type: "image", data: PNG, mimeType: "image/png" };
    expect(textOf([image], { isError: true, outcome: "error" })).toMatch(/^\(image .* image\/png, 70 bytes\)$/);
  });

  test("RES-05 encodeResults shows a text resource and describes everything else", () => {
    const shown: readonly [Content, string][] = [
      [{ type: "resource", resource: { uri: "file:///a", text: "hello" } }, "hello"],
      [{ type: "resource", resource: { uri: "file:///a", text: " " } }, "(empty resource: file:///a)"],
      [{ type: "resource", resource: { uri: "file:///a.png", mimeType: "image/png", blob: PNG } }, "<image/png>"],
      [
        { type: "resource", resource: { uri: "file:///a.zip", blob: "AAA=" } },
        "(resource that cannot be shown here: file:///a.zip, application/octet-stream, 2 bytes)",
      ],
      [
        { type: "resource_link", uri: "https://x.example/a", name: "report", mimeType: "text/csv", description: "Q3" },
        "(link to a resource: report, https://x.example/a, text/csv, Q3)",
      ],
      [{ type: "audio", data: "AA==", mimeType: "audio/wav" }, "(audio that cannot be shown here: audio/wav, 1 bytes)"],
      [
        { type: "file", data: "AAAA", mimeType: "application/pdf", name: "a.pdf" },
        "(file that cannot be shown here: a.pdf, application/pdf, 3 bytes)",
      ],
      [{ type: "unknown", value: { type: "chart", n: 1 } }, '(block of an unknown kind: {"type":"chart","n":1})'],
    ];
    for (const [block, text] of shown) expect(textOf([block])).toBe(text);
  });

  test("TRN-08 encodeResults sends well-formed Unicode only", () => {
    expect(textOf([{ type: "text", text: "cut \ud83d" }])).toBe("cut \ufffd");
    expect(textOf([{ type: "resource_link", uri: "u", name: "\udc00" }])).toBe("(link to a resource: \ufffd, u)");
  });

  test("encodeResults holds what the API demands, for any results", () => {
    fc.assert(
      fc.property(fc.array(anyResult, { maxLength: 4 }), (results) => {
        const { role, content } = anthropic.encodeResults(results);
        expect(role).toBe("user");
        expect(content.map((block) => block.tool_use_id)).toEqual(results.map(({ callId }) => callId));
        for (const block of content) {
          expect(block.content.length).toBeGreaterThan(0);
          for (const part of block.content) {
            if (part.type === "text") {
              expect(part.text.trim()).not.toBe("");
              expect(part.text.isWellFormed()).toBe(true);
            } else {
              expect(block.is_error).toBe(false);
            }
          }
        }
      }),
    );
  });
});

const text = fc.string({ unit: "binary", maxLength: 6 });
const bytes = fc.oneof(text, fc.base64String({ maxLength: 12 }));
const mime = fc.oneof(text, fc.constantFrom("image/png", "image/svg+xml", "audio/wav"));
const anyContent: fc.Arbitrary<Content> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: fc.oneof(text, fc.constantFrom("", " ", "\ud800")) }),
  fc.record({
    type: fc.constantFrom("image" as const, "audio" as const, "file" as const),
    data: bytes,
    mimeType: mime,
  }),
  fc.record({
    type: fc.constant("resource" as const),
    resource: fc.record({ uri: text, mimeType: mime, blob: bytes }),
  }),
  fc.record({ type: fc.constant("resource" as const), resource: fc.record({ uri: text, text }) }),
  fc.record({ type: fc.constant("resource_link" as const), uri: text, name: text }),
  fc.record({ type: fc.constant("unknown" as const), value: fc.dictionary(text, fc.constant(1)) }),
);
const anyResult: fc.Arbitrary<ToolResult> = fc
  .record({
    callId: fc.stringMatching(/^toolu_[a-z]{1,5}$/),
    isError: fc.boolean(),
    content: fc.array(anyContent, { maxLength: 3 }),
    structured: fc.option(fc.jsonValue(), { nil: undefined }),
  })
  .map(({ structured, isError, ...rest }) => ({
    ...rest,
    name: "probe",
    isError,
    outcome: isError ? "error" : "ok",
    ...(structured === undefined ? {} : { structuredContent: structured as JsonValue }),
  }));
