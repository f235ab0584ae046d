import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import Anthropic from "@anthropic-ai/sdk";
import { afterEach, describe, expect, test } from "vitest";
import { answer } from "../../examples/own-loop.ts";

type Request = Anthropic.MessageCreateParamsNonStreaming;
type Reply = Pick<Anthropic.Message, "stop_reason"> & { readonly content: readonly object[] };

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

/** POST /v1/messages as the API serves it: one reply after the other, and 400 for a history that it would refuse. */
async function startStub(replies: readonly Reply[]): Promise<{ client: Anthropic; requests: Request[] }> {
  const requests: Request[] = [];
  const server = createServer(async (request, response) => {
    const body = await readRequest(request);
    requests.push(body);
    const refusal = refuse(body);
    const reply = replies[requests.length - 1];
    response.writeHead(refusal || !reply ? 400 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(refusal || !reply ? errorBody(refusal ?? "no more replies") : messageBody(reply)));
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server has one
  const client = new Anthropic({ apiKey: "test", baseURL: `http://127.0.0.1:${port}`, maxRetries: 0 });
  return { client, requests };
}

async function readRequest(request: IncomingMessage): Promise<Request> {
  expect([request.method, request.url?.split("?")[0]]).toEqual(["POST", "/v1/messages"]);
  return JSON.parse(await text(request)) as Request;
}

/** The API's two rules about calls: each is answered in the next message, and an error holds nothing but text. */
function refuse({ messages }: Request): string | undefined {
  for (const [at, message] of messages.entries()) {
    const calls = blocksOf(message).flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    const answers = blocksOf(messages[at + 1]).filter((block) => block.type === "tool_result");
    if (calls.join() !== answers.map((block) => block.tool_use_id).join()) return "tool_use without tool_result";
    if (answers.some((block) => !Array.isArray(block.content) || block.content.length === 0))
      return "empty tool_result";
  }
  return undefined;
}

function blocksOf(message: Anthropic.MessageParam | undefined): readonly Anthropic.ContentBlockParam[] {
  return Array.isArray(message?.content) ? message.content : [];
}

function messageBody({ content, stop_reason }: Reply): object {
  const usage = { input_tokens: 1, output_tokens: 1 };
  return { id: "msg_1", type: "message", role: "assistant", model: "stub", content, stop_reason, usage };
}

function errorBody(message: string): object {
  return { type: "error", error: { type: "invalid_request_error", message } };
}

const useOf = (id: string, input: object): object => ({ type: "tool_use", id, name: "weather", input });
const done: Reply = { content: [{ type: "text", text: "It is sunny in Oslo." }], stop_reason: "end_turn" };

describe("a loop of one's own", () => {
  test("a loop of one's own sends the tools, runs the calls and answers each in order", async () => {
    const { client, requests } = await startStub([
      {
        content: [{ type: "text", text: "Let me look." }, useOf("toolu_1", { city: "Oslo" }), useOf("toolu_2", {})],
        stop_reason: "tool_use",
      },
      done,
    ]);

    expect(await answer(client, "Is it sunny in Oslo?")).toBe("It is sunny in Oslo.");

    const [first, second] = requests;
    expect(requests).toHaveLength(2);
    expect(first?.tools).toMatchObject([
      {
        name: "weather",
        description: "The weather in a city, now.",
        input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      },
    ]);
    expect(JSON.stringify(second?.tools)).toBe(JSON.stringify(first?.tools));
    expect(second?.messages.slice(0, 2)).toMatchObject([
      { role: "user", content: "Is it sunny in Oslo?" },
      { role: "assistant", content: [{ type: "text" }, { id: "toolu_1" }, { id: "toolu_2" }] },
    ]);
    expect(second?.messages[2]).toEqual({
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "toolu_1",
          is_error: false,
          content: [{ type: "text", text: "Sunny in Oslo, 21 °C" }],
        },
        {
          type: "tool_result",
          tool_use_id: "toolu_2",
          is_error: true,
          content: [{ type: "text", text: expect.stringContaining("city") }],
        },
      ],
    });
  });

  test("ARG-08 a loop of one's own does not run the calls of an answer that was cut off", async () => {
    const { client, requests } = await startStub([
      { content: [useOf("toolu_1", { city: "Os" })], stop_reason: "max_tokens" },
      done,
    ]);
    expect(await answer(client, "Is it sunny in Oslo?")).toBe("It is sunny in Oslo.");
    const [result] = blocksOf(requests[1]?.messages[2]);
    expect(result).toMatchObject({ tool_use_id: "toolu_1", is_error: true });
    expect(JSON.stringify(result)).toContain("cut off");
  });

  test("DSP-07 a loop of one's own answers a call of a tool that does not exist", async () => {
    const { client, requests } = await startStub([
      { content: [{ ...useOf("toolu_1", {}), name: "wether" }], stop_reason: "tool_use" },
      done,
    ]);
    expect(await answer(client, "Is it sunny in Oslo?")).toBe("It is sunny in Oslo.");
    expect(JSON.stringify(blocksOf(requests[1]?.messages[2])[0])).toContain("weather");
  });

  test("a loop of one's own works with ids that a backend uses again", async () => {
    const again: Reply = { content: [useOf("call_0", { city: "Oslo" })], stop_reason: "tool_use" };
    const { client, requests } = await startStub([again, again, done]);
    expect(await answer(client, "Is it sunny in Oslo?")).toBe("It is sunny in Oslo.");
    expect(requests).toHaveLength(3);
  });
});
