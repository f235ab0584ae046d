/** A member's place in a list: what removes it without a search. */
export interface Link<T> {
  readonly value: T;
  previous: Link<T> | undefined;
  next: Link<T> | undefined;
}

/** Members in order of arrival, added and removed without hashing: a call enters and leaves several of them. */
export class LinkedList<T> implements Iterable<T> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(value: T): Link<T> {
    const link: Link<T> = { value, previous: this.#last, next: undefined };
    if (this.#last) this.#last.next = link;
    else this.#first = link;
    this.#last = link;
    this.#size += 1;
    return link;
  }

  /** The link must be a member's own, and is so no longer. */
  remove(link: Link<T>): void {
    if (link.previous) link.previous.next = link.next;
    else this.#first = link.next;
    if (link.next) link.next.previous = link.previous;
    else this.#last = link.previous;
    this.#size -= 1;
  }

  /** Members of the moment; one that is removed on the way keeps its successor. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (let link = this.#first; link; link = link.next) yield link.value;
  }
}
