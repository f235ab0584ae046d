import type { Message } from "../tool/message.ts";
import { cleanMessage } from "./clean-message.ts";
import type { TranscriptRules } from "./model.ts";
import { arePaired, pairCalls, type PlacedMessage } from "./pair-calls.ts";

/** What a provider would refuse, and what a repair does about it. */
export interface TranscriptChange {
  /** Index of the message, as given. */
  readonly at: number;
  readonly message: string;
}

/** A transcript that a provider takes, and what had to change for that. */
export interface RepairedTranscript {
  /** The very messages given up to the first change, so that what a provider has cached of them stays. */
  readonly messages: readonly Message[];
  readonly changes: readonly TranscriptChange[];
}

/**
 * Makes a transcript one that a provider with these rules takes: every answer's calls are followed at once by one message with
 * one result each, in call order; ids are unique; texts are well-formed and not empty; images are readable. What has no partner
 * gets one (`interrupted`) or is told as text; nothing is lost in silence. Pure, and idempotent.
 */
export function repairTranscript(messages: readonly Message[], rules: TranscriptRules): RepairedTranscript {
  const changes: TranscriptChange[] = [];
  const cleaned: PlacedMessage[] = [];
  let at = 0;
  const tell = (message: string): void => void changes.push({ at, message });
  for (; at < messages.length; at += 1) {
    const message = messages[at] as Message; // within its length
    const clean = cleanMessage(message, rules, tell);
    if (clean) cleaned.push({ message: clean, at });
  }
  if (changes.length === 0 && arePaired(messages, rules)) return { messages, changes };
  const paired = pairCalls(cleaned, rules, (place, message) => changes.push({ at: place, message }));
  if (changes.length === 0) return { messages, changes };
  changes.sort((left, right) => left.at - right.at);
  return { messages: Object.freeze(paired), changes: Object.freeze(changes) };
}

/** What a provider with these rules would refuse; empty for a transcript that it takes. */
export function checkTranscript(messages: readonly Message[], rules: TranscriptRules): readonly TranscriptChange[] {
  return repairTranscript(messages, rules).changes;
}
