import type { Message } from "toolmap";

/**
 * The strictest rules that providers have in common: each answer's calls are followed at once by one message with exactly one
 * result a call, in call order; ids are unique in the whole transcript; nothing is empty. Undefined for a transcript that is fine.
 */
export function transcriptFault(messages: readonly Message[]): string | undefined {
  const seen = new Set<string>();
  for (const [at, message] of messages.entries()) {
    if (message.role === "user" && message.content.length === 0) return `message ${at} of the user is empty`;
    if (message.role === "tool" && messages[at - 1]?.role !== "assistant") return `results without calls at ${at}`;
    if (message.role === "user" && message.content.every((block) => block.type === "text" && block.text.trim() === ""))
      return `message ${at} of the user says nothing`;
    if (message.role !== "assistant") continue;
    if (message.parts.length === 0) return `answer ${at} is empty`;
    if (message.parts.some((part) => (part.type === "text" || part.type === "reasoning") && part.text === ""))
      return `a part of answer ${at} is empty`;
    const ids = message.parts.flatMap((part) =>
      part.type === "tool-call" && part.providerExecuted !== true ? [part.call.id] : [],
    );
    for (const id of ids) {
      if (id === "" || seen.has(id)) return `the id "${id}" stands twice`;
      seen.add(id);
    }
    const next = messages[at + 1];
    if (ids.length === 0) {
      if (next?.role === "tool") return `results of no calls at ${at + 1}`;
      continue;
    }
    if (next?.role !== "tool") return `the calls at ${at} have no results right after them`;
    const answered = next.results.map(({ callId }) => callId);
    if (answered.join("\n") !== ids.join("\n")) return `results ${answered.join()} do not answer calls ${ids.join()}`;
    for (const { content, callId, outcome, isError } of next.results) {
      if (isError !== (outcome !== "ok")) return `${callId} is ${outcome} and ${isError ? "an" : "no"} error`;
      if (content.length === 0) return `the result of ${callId} is empty`;
      if (content.some((block) => block.type === "text" && block.text.trim() === "")) return `${callId} says nothing`;
    }
  }
  return undefined;
}
