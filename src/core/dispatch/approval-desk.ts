import type { Clock } from "../clock.ts";
import { messageOf } from "../hooks/call-hook.ts";
import { freezeJson, isRecord } from "../json.ts";
import { copyJson } from "../tool/read-content.ts";
import type { ApprovalAnswer, ApprovalOffer, ApprovalRequest, Approver } from "./approval.ts";

/** How an ask ended. */
export type AskEnd =
  | { readonly kind: "answered"; readonly answer: ApprovalAnswer }
  | { readonly kind: "expired"; readonly message: string };

interface PendingAsk {
  readonly request: ApprovalRequest;
  readonly ended: Promise<AskEnd>;
  readonly withdraw: AbortController;
  readonly cancelDeadline: () => void;
  waiting: number;
}

/** One call's place at a pending ask. */
export interface AskTicket {
  /** The first to ask this; those that join it report nothing. */
  readonly isFirst: boolean;
  readonly request: ApprovalRequest;
  readonly ended: Promise<AskEnd>;
  /** Gives the place up; the last one to leave withdraws the request. */
  leave(): void;
}

/**
 * Asks the approver. Requests that are pending and identical share one prompt; an answer settles exactly those that were
 * pending when it was given. Also knows which prepared approvals were used: single use, in this process.
 */
export class ApprovalDesk {
  readonly #pending = new Map<string, PendingAsk>();
  /** Used approvals, with the time after which they have expired anyway. */
  readonly #used: Map<string, number>;

  /** `used`: what a record says was used before. */
  constructor(used: ReadonlyMap<string, number> = new Map()) {
    this.#used = new Map(used);
  }

  ask(
    approver: Approver,
    request: ApprovalRequest,
    { clock, ms }: { readonly clock: Clock; readonly ms: number },
  ): AskTicket {
    const known = this.#pending.get(request.digest);
    if (known) return this.#join(known, false);
    const pending = this.#start(approver, request, { clock, ms });
    this.#pending.set(request.digest, pending);
    return this.#join(pending, true);
  }

  /** Marks a prepared approval as used. False when it was used before. */
  use(key: string, { now, expiresAt }: { readonly now: number; readonly expiresAt: number }): boolean {
    for (const [used, until] of this.#used) if (until < now) this.#used.delete(used);
    if (this.#used.has(key)) return false;
    this.#used.set(key, expiresAt);
    return true;
  }

  #join(pending: PendingAsk, isFirst: boolean): AskTicket {
    pending.waiting += 1;
    let isHere = true;
    return {
      isFirst,
      request: pending.request,
      ended: pending.ended,
      leave: () => {
        if (!isHere) return;
        isHere = false;
        pending.waiting -= 1;
        if (pending.waiting > 0) return;
        this.#forget(pending.request);
        pending.cancelDeadline();
        pending.withdraw.abort();
      },
    };
  }

  #start(
    approver: Approver,
    request: ApprovalRequest,
    { clock, ms }: { readonly clock: Clock; readonly ms: number },
  ): PendingAsk {
    const withdraw = new AbortController();
    let settle = (_: AskEnd): void => undefined;
    const ended = new Promise<AskEnd>((resolve) => {
      settle = resolve;
    });
    const end = (askEnd: AskEnd): void => {
      cancelDeadline();
      this.#forget(request);
      settle(askEnd);
    };
    const cancelDeadline = clock.after(ms, () => {
      end({ kind: "expired", message: `nobody answered within ${ms} ms` });
      withdraw.abort();
    });
    askSafely(approver, request, withdraw.signal).then(
      (answer) => end(readAnswer(answer)),
      (error: unknown) => end({ kind: "expired", message: `the approver failed: ${messageOf(error)}` }),
    );
    return { request, ended, withdraw, cancelDeadline, waiting: 0 };
  }

  #forget({ digest, id }: ApprovalRequest): void {
    if (this.#pending.get(digest)?.request.id === id) this.#pending.delete(digest);
  }
}

/** A throw before the promise is a rejection like any other. */
async function askSafely(approver: Approver, request: ApprovalRequest, signal: AbortSignal): Promise<unknown> {
  return await approver.ask(request, signal);
}

/** A copy of what counts, each member read once. Anything but the two answers is none. */
function readAnswer(value: unknown): AskEnd {
  const copy = copyJson(value);
  if (!isRecord(copy)) return NO_ANSWER;
  const { answer, message, by, offer } = copy;
  if (answer !== "approved" && answer !== "rejected") return NO_ANSWER;
  return {
    kind: "answered",
    answer: freezeJson({
      answer,
      ...(typeof message === "string" ? { message } : {}),
      ...(typeof by === "string" ? { by } : {}),
      ...(isOffer(offer) ? { offer } : {}),
    }),
  };
}

const NO_ANSWER: AskEnd = { kind: "expired", message: "the approver gave no answer that can be read" };

function isOffer(value: unknown): value is ApprovalOffer {
  if (!isRecord(value)) return false;
  const { scope, rule } = value;
  return (
    (scope === "once" || scope === "session" || scope === "always") && (rule === undefined || typeof rule === "string")
  );
}
