import { decodeCalls } from "./anthropic/decode-calls.ts";
import { encodeResults } from "./anthropic/encode-results.ts";
import { encodeTools } from "./anthropic/encode-tools.ts";

/**
 * The wire dialect of Anthropic's Messages API, for a loop of your own: tools out, calls in, results out. Pure.
 * What it returns fits the parameters of `@anthropic-ai/sdk`; what it takes is that package's answer.
 */
export const anthropic = { encodeTools, decodeCalls, encodeResults } as const;
