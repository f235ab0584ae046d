/** The time port. A host may pass its own; tests pass a manual one. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs `run` once, `ms` milliseconds from now at the earliest. Returns the cancellation, which is idempotent. */
  after(ms: number, run: () => void): () => void;
}

/** The default clock. One timer serves all deadlines, and pending deadlines keep the process alive. */
export const systemClock: Clock = createSystemClock();

/**
 * Deadlines of equal length fall due in the order they were set, so a list for each length is always sorted: setting and
 * cancelling touch the ends of a list and no timer of the host, which costs ten times as much. Their time counts from the next
 * turn of the event loop: most are cancelled before, and then nobody has asked what time it is, which costs as much again.
 */
function createSystemClock(): Clock {
  /** Set in this turn of the event loop. */
  const fresh: DeadlineList = { first: undefined, last: undefined };
  const lists = new Map<number, DeadlineList>();
  let isStartDue = false;
  let timer: HostTimer | undefined;
  let timerDue = Number.POSITIVE_INFINITY;
  let pending = 0;

  function after(ms: number, run: () => void): () => void {
    const deadline: Deadline = { ms, due: 0, run, list: undefined, previous: undefined, next: undefined };
    appendDeadline(fresh, deadline);
    pending += 1;
    if (!isStartDue) {
      isStartDue = true;
      afterThisTurn(startFresh);
    }
    return () => {
      if (!removeDeadline(deadline)) return;
      pending -= 1;
      if (pending === 0) timer?.unref?.();
    };
  }

  function startFresh(): void {
    isStartDue = false;
    const now = performance.now();
    let due = Number.POSITIVE_INFINITY;
    while (fresh.first) {
      const deadline = fresh.first;
      removeDeadline(deadline);
      deadline.due = now + deadline.ms;
      appendDeadline(listOf(deadline.ms), deadline);
      due = Math.min(due, deadline.due);
    }
    if (due < timerDue) armTimer(due);
    else if (pending > 0) timer?.ref?.();
  }

  function listOf(ms: number): DeadlineList {
    let list = lists.get(ms);
    if (!list) {
      forgetEmptyLists();
      list = { first: undefined, last: undefined };
      lists.set(ms, list);
    }
    return list;
  }

  function armTimer(due: number): void {
    if (timer !== undefined) clearTimeout(timer as never);
    timerDue = due;
    timer = setTimeout(fire, Math.min(Math.max(0, due - performance.now()), LONGEST_TIMER_MS)) as HostTimer;
  }

  function fire(): void {
    timer = undefined;
    timerDue = Number.POSITIVE_INFINITY;
    const now = performance.now();
    // In the order of their times, also when the timer came late for several; what runs may cancel others.
    let deadline = earliest();
    for (; deadline && deadline.due <= now; deadline = earliest()) {
      removeDeadline(deadline);
      pending -= 1;
      runSafely(deadline.run);
    }
    forgetEmptyLists();
    if (deadline && deadline.due < timerDue) armTimer(deadline.due);
  }

  function earliest(): Deadline | undefined {
    let found: Deadline | undefined;
    for (const { first } of lists.values()) if (first && (!found || first.due < found.due)) found = first;
    return found;
  }

  /** Nested calls have deadlines of every length; those of a session are few and stay. */
  function forgetEmptyLists(): void {
    if (lists.size <= KEPT_LISTS) return;
    for (const [ms, list] of lists) if (list.first === undefined) lists.delete(ms);
  }

  return { now: () => Date.now(), after };
}

const KEPT_LISTS = 64;

/** A throw is the host's to report, and takes no other deadline with it. */
function runSafely(run: () => void): void {
  try {
    run();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Taken once, so that a host which replaces its timers later changes nothing here. */
export const afterThisTurn: (run: () => void) => void =
  typeof setImmediate === "function" ? setImmediate : (run) => void setTimeout(run, 0);

/** What setTimeout returns: a number in browsers, an object with ref and unref in Node. */
type HostTimer = { ref?(): void; unref?(): void };

/** The longest delay that setTimeout takes; longer ones fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Deadline {
  readonly ms: number;
  /** On the scale of performance.now(), once it counts. */
  due: number;
  readonly run: () => void;
  /** Undefined once it has run or was cancelled. */
  list: DeadlineList | undefined;
  previous: Deadline | undefined;
  next: Deadline | undefined;
}
interface DeadlineList {
  first: Deadline | undefined;
  last: Deadline | undefined;
}

function appendDeadline(list: DeadlineList, deadline: Deadline): void {
  deadline.list = list;
  deadline.previous = list.last;
  deadline.next = undefined;
  if (list.last) list.last.next = deadline;
  else list.first = deadline;
  list.last = deadline;
}

function removeDeadline(deadline: Deadline): boolean {
  const { list } = deadline;
  if (!list) return false;
  deadline.list = undefined;
  if (deadline.previous) deadline.previous.next = deadline.next;
  else list.first = deadline.next;
  if (deadline.next) deadline.next.previous = deadline.previous;
  else list.last = deadline.previous;
  return true;
}
