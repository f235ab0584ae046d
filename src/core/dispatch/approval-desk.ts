import type { Clock } from "../clock.ts";
import { messageOf } from "../hooks/call-hook.ts";
import { isRecord } from "../json.ts";
import type { ApprovalAnswer, ApprovalRequest, Approver } from "./approval.ts";

/** How an ask ended. */
export type AskEnd =
  | { readonly kind: "answered"; readonly answer: ApprovalAnswer }
  | { readonly kind: "expired"; readonly message: string };

interface PendingAsk {
  readonly request: ApprovalRequest;
  readonly ended: Promise<AskEnd>;
  readonly withdraw: AbortController;
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
  readonly #used = new Map<string, number>();

  ask(
    approver: Approver,
    request: ApprovalRequest,
    { clock, ms }: { readonly clock: Clock; readonly ms: number },
  ): AskTicket {
    const known = this.#pending.get(request.digest);
    if (known) return this.#join(known, false);
    const withdraw = new AbortController();
    const pending: PendingAsk = {
      request,
      withdraw,
      waiting: 0,
      ended: this.#start(approver, request, { clock, ms, withdraw }),
    };
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
        pending.withdraw.abort();
      },
    };
  }

  #start(
    approver: Approver,
    request: ApprovalRequest,
    { clock, ms, withdraw }: { readonly clock: Clock; readonly ms: number; readonly withdraw: AbortController },
  ): Promise<AskEnd> {
    return new Promise((resolve) => {
      const end = (askEnd: AskEnd): void => {
        cancelDeadline();
        this.#forget(request);
        resolve(askEnd);
      };
      const cancelDeadline = clock.after(ms, () => {
        end({ kind: "expired", message: `nobody answered within ${ms} ms` });
        withdraw.abort();
      });
      askSafely(approver, request, withdraw.signal).then(
        (answer) =>
          end(
            isAnswer(answer)
              ? { kind: "answered", answer }
              : { kind: "expired", message: "the approver gave no answer that can be read" },
          ),
        (error: unknown) => end({ kind: "expired", message: `the approver failed: ${messageOf(error)}` }),
      );
    });
  }

  #forget({ digest, id }: ApprovalRequest): void {
    if (this.#pending.get(digest)?.request.id === id) this.#pending.delete(digest);
  }
}

/** A throw before the promise is a rejection like any other. */
async function askSafely(approver: Approver, request: ApprovalRequest, signal: AbortSignal): Promise<unknown> {
  return await approver.ask(request, signal);
}

function isAnswer(value: unknown): value is ApprovalAnswer {
  return isRecord(value) && (value["answer"] === "approved" || value["answer"] === "rejected");
}
