import type Anthropic from "@anthropic-ai/sdk";
import * as fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { ToolDescriptor } from "toolmap";
import { anthropic, type AnthropicAnswer } from "toolmap/providers";

const read: ToolDescriptor = { name: "read", description: "", inputSchema: {}, owner: { kind: "core" } };
const use = { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a" }, caller: { type: "direct" } };

/** What arrives has more members than the type asks for. */
function answer(content: readonly object[], stop: string | null = "tool_use"): AnthropicAnswer {
  return { content: content as AnthropicAnswer["content"], stop_reason: stop };
}

describe("decodeCalls", () => {
  test("decodeCalls takes the SDK's answer as it stands", () => {
    expectTypeOf<Anthropic.Message>().toExtend<Parameters<typeof anthropic.decodeCalls>[0]>();
    expectTypeOf<Anthropic.Beta.BetaMessage>().toExtend<Parameters<typeof anthropic.decodeCalls>[0]>();
  });

  test("decodeCalls gives every tool_use block, in order, and skips the words", () => {
    const second = { ...use, id: "toolu_2", input: {} };
    expect(anthropic.decodeCalls(answer([{ type: "text", text: "Let me see" }, use, second]), [read])).toEqual([
      { id: "toolu_1", name: "read", input: { path: "a" } },
      { id: "toolu_2", name: "read", input: {} },
    ]);
  });

  test("decodeCalls leaves out what the provider runs itself", () => {
    const own = ["server_tool_use", "mcp_tool_use", "mcp_tool_result", "thinking", "tool_use_2030"];
    const blocks = own.map((type) => ({ ...use, type }));
    expect(anthropic.decodeCalls(answer(blocks, "pause_turn"), [read])).toEqual([]);
  });

  test.each(["max_tokens", "model_context_window_exceeded", "refusal", "stop_sequence"])(
    "ARG-08 decodeCalls marks the calls of an answer that %s cut off",
    (stop) => {
      expect(anthropic.decodeCalls(answer([use, use], stop), [read]).map((call) => call.truncated)).toEqual([
        true,
        true,
      ]);
    },
  );

  test.each(["tool_use", "end_turn", "pause_turn", "a_reason_of_tomorrow", null])(
    "decodeCalls does not mark the calls of an answer that stopped by %s",
    (stop) => {
      expect(anthropic.decodeCalls(answer([use], stop), [read])[0]).not.toHaveProperty("truncated");
    },
  );

  test("decodeCalls gives a malformed block as a call that dispatch can answer", () => {
    const blocks = [
      { type: "tool_use" },
      { type: "tool_use", id: 7, name: 8, input: "{" },
      { type: "tool_use", id: "", name: { toString: 1 } },
    ];
    expect(anthropic.decodeCalls(answer(blocks), [read])).toEqual([
      { name: "", input: undefined },
      { name: "8", input: "{" },
      { name: '{"toString":1}', input: undefined },
    ]);
  });

  test("decodeCalls gives a call of a tool that was never sent", () => {
    expect(anthropic.decodeCalls(answer([{ ...use, name: "rm" }]), [read])[0]?.name).toBe("rm");
  });

  test("decodeCalls never throws, and gives one call for each tool_use block, for any JSON", () => {
    const block = fc.oneof(
      fc.jsonValue(),
      fc.record({ type: fc.constant("tool_use"), id: fc.jsonValue(), name: fc.jsonValue(), input: fc.jsonValue() }),
    );
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.record({ content: fc.array(block), stop_reason: fc.jsonValue() })),
        (json) => {
          const calls = anthropic.decodeCalls(json as unknown as AnthropicAnswer, [read]);
          const content: unknown = typeof json === "object" && json !== null && "content" in json ? json.content : [];
          const uses = Array.isArray(content)
            ? content.filter((each) => (each as { type?: string } | null)?.type === "tool_use")
            : [];
          expect(calls).toHaveLength(uses.length);
          for (const call of calls) expect(typeof call.name).toBe("string");
        },
      ),
    );
  });
});
