// A loop of your own on Anthropic's SDK: toolmap brings the tools and answers the calls, the conversation stays yours.
// With ANTHROPIC_API_KEY set and Node 22.18 or newer:  npm run build && node examples/own-loop.ts "Is it sunny in Oslo?"
import { fileURLToPath } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import { createAgentSession, defineTool } from "toolmap";
import { anthropic } from "toolmap/providers";
import { z } from "zod";

export const weather = defineTool({
  name: "weather",
  description: "The weather in a city, now.",
  input: z.object({ city: z.string() }),
  annotations: { readOnlyHint: true },
  execute: ({ city }) => `Sunny in ${city}, 21 °C`,
});

/** Asks until the model calls no more tools, at most ten times. Returns its last words. */
export async function answer(client: Anthropic, question: string): Promise<string> {
  const session = await createAgentSession({ tools: [weather] });
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: question }];
  try {
    for (let request = 0; request < 10; request += 1) {
      const turn = session.beginTurn();
      const tools = anthropic.encodeTools(turn.tools);
      const reply = await client.messages.create({ model: "claude-sonnet-5", max_tokens: 4096, messages, tools });
      messages.push({ role: "assistant", content: reply.content });

      // A cut-off answer is safe to hand over: its calls come back as errors that tell the model to send less.
      const results = await turn.dispatch(anthropic.decodeCalls(reply, turn.tools));
      if (results.length === 0) return textOf(reply);
      messages.push(anthropic.encodeResults(results));
    }
    return "I could not finish this in ten requests.";
  } finally {
    await session.close();
  }
}

function textOf(reply: Anthropic.Message): string {
  return reply.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${await answer(new Anthropic(), process.argv[2] ?? "Is it sunny in Oslo?")}\n`);
}
