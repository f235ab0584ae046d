import type { ResourceKey } from "../tool/result.ts";
import { type Link, LinkedList } from "./linked-list.ts";

/** What a call holds, or wants to hold, while it runs. */
export interface ResourceHold {
  readonly callId: string;
  readonly name: string;
  readonly keys: readonly ResourceKey[];
  readonly exclusive: boolean;
  /** The call that this one is nested in; its holds never conflict with ours. */
  readonly parent: ResourceHold | undefined;
  /** Its place in the table, which the table sets. */
  holdLink: Link<ResourceHold> | undefined;
}

/** A place in the table's queue. `leave` gives it up; after `granted` it has no effect. */
export interface HoldWait {
  readonly granted: Promise<void>;
  /** Who is in the way now, for the message of a wait that ran out. */
  holder(): ResourceHold | undefined;
  leave(): void;
}

/**
 * Who holds which resource now. One table serves the process.
 *
 * A call takes all its keys at once, so nobody waits while holding a part. The queue is fair: a newcomer that conflicts
 * with somebody who waits stands behind them. A nested call does not, since whoever waits may be waiting for its parent.
 */
export class ResourceTable {
  readonly #holders = new LinkedList<ResourceHold>();
  /** Holders with a key or `exclusive`: most calls have neither and are not looked at one by one. */
  readonly #keyed = new Set<ResourceHold>();
  /** Executors that outlived their grace: nobody waits for them, whoever conflicts is told. */
  readonly #overdue = new Set<ResourceHold>();
  readonly #queue: Waiter[] = [];

  /** Takes the hold if nothing is in its way. */
  tryTake(hold: ResourceHold): boolean {
    if (this.#findHolder(hold) !== undefined) return false;
    if (
      this.#queue.length > 0 &&
      hold.parent === undefined &&
      this.#queue.some((waiter) => conflicts(waiter.hold, hold))
    )
      return false;
    this.#take(hold);
    return true;
  }

  /** Queues for the hold. */
  wait(hold: ResourceHold): HoldWait {
    let grant = (): void => undefined;
    const granted = new Promise<void>((resolve) => {
      grant = resolve;
    });
    const waiter: Waiter = { hold, grant };
    this.#queue.push(waiter);
    return {
      granted,
      holder: () =>
        this.#findHolder(hold) ?? this.#queue.find((other) => other !== waiter && conflicts(other.hold, hold))?.hold,
      leave: () => {
        const place = this.#queue.indexOf(waiter);
        if (place === -1) return;
        this.#queue.splice(place, 1);
        this.#grantWaiters();
      },
    };
  }

  /** The executor has settled: whoever waited for it goes on. Idempotent. */
  release(hold: ResourceHold): void {
    if (this.#overdue.size > 0) this.#overdue.delete(hold);
    if (!this.#drop(hold)) return;
    if (this.#queue.length > 0) this.#grantWaiters();
  }

  /** The executor has not settled within its grace: nobody waits for it any longer. */
  giveUp(hold: ResourceHold): void {
    if (!this.#drop(hold)) return;
    this.#overdue.add(hold);
    this.#grantWaiters();
  }

  /** Executors that were given up and may still be writing what this hold is about. */
  overdueFor(hold: ResourceHold): readonly ResourceHold[] {
    if (this.#overdue.size === 0) return NONE;
    return [...this.#overdue].filter((other) => conflicts(other, hold));
  }

  #take(hold: ResourceHold): void {
    hold.holdLink = this.#holders.add(hold);
    if (hold.exclusive || hold.keys.length > 0) this.#keyed.add(hold);
  }

  #drop(hold: ResourceHold): boolean {
    if (!hold.holdLink) return false;
    this.#holders.remove(hold.holdLink);
    hold.holdLink = undefined;
    if (hold.exclusive || hold.keys.length > 0) this.#keyed.delete(hold);
    return true;
  }

  #findHolder(hold: ResourceHold): ResourceHold | undefined {
    const candidates = hold.exclusive ? this.#holders : this.#keyed;
    if (candidates.size === 0) return undefined;
    for (const other of candidates) if (conflicts(other, hold)) return other;
    return undefined;
  }

  #grantWaiters(): void {
    const ahead: ResourceHold[] = [];
    for (const waiter of [...this.#queue]) {
      const { hold } = waiter;
      const isFree =
        this.#findHolder(hold) === undefined &&
        (hold.parent !== undefined || !ahead.some((other) => conflicts(other, hold)));
      if (!isFree) {
        ahead.push(hold);
        continue;
      }
      this.#queue.splice(this.#queue.indexOf(waiter), 1);
      this.#take(hold);
      waiter.grant();
    }
  }
}

/** The table that sessions use unless a test passes its own. */
export const processResourceTable: ResourceTable = new ResourceTable();

interface Waiter {
  readonly hold: ResourceHold;
  readonly grant: () => void;
}

const NONE: readonly ResourceHold[] = [];

/** Whether two calls may not run at the same time. Symmetric; a call and those it is nested in never conflict. */
export function conflicts(left: ResourceHold, right: ResourceHold): boolean {
  if (!left.exclusive && !right.exclusive && !shareWrittenKey(left.keys, right.keys)) return false;
  return !isAncestor(left, right) && !isAncestor(right, left);
}

function shareWrittenKey(left: readonly ResourceKey[], right: readonly ResourceKey[]): boolean {
  for (const a of left) {
    for (const b of right) {
      if (a.key === b.key && (a.mode === "write" || b.mode === "write")) return true;
    }
  }
  return false;
}

function isAncestor(ancestor: ResourceHold, hold: ResourceHold): boolean {
  for (let parent = hold.parent; parent; parent = parent.parent) if (parent === ancestor) return true;
  return ancestor === hold;
}
