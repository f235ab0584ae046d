import fc from "fast-check";
import { expect, test } from "vitest";
import { type Link, LinkedList } from "../../../src/core/dispatch/linked-list.ts";

test("LinkedList has the members, size and order of an array, whatever is added and removed", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(20)), { maxLength: 60 }), (steps) => {
      const list = new LinkedList<number>();
      const model: Link<number>[] = [];
      for (const [at, step] of steps.entries()) {
        if (step === null) model.push(list.add(at));
        else for (const link of model.splice(step, 1)) list.remove(link);
        expect([...list]).toEqual(model.map(({ value }) => value));
        expect(list.size).toBe(model.length);
      }
    }),
  );
});

test("LinkedList that was emptied begins anew", () => {
  const list = new LinkedList<string>();
  list.remove(list.add("gone"));
  expect([list.size, ...list]).toEqual([0]);
  list.add("first");
  list.add("second");
  expect([list.size, ...list]).toEqual([2, "first", "second"]);
});

test("LinkedList holds one value as often as it was added, each under its own link", () => {
  const list = new LinkedList<string>();
  const [first] = [list.add("a"), list.add("b"), list.add("a")];
  if (first) list.remove(first);
  expect([...list]).toEqual(["b", "a"]);
});

test("LinkedList can be walked by who removes each member that it meets", () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 20 }), (removals) => {
      const list = new LinkedList<number>();
      const links = removals.map((_, at) => list.add(at));
      const met: number[] = [];
      for (const value of list) {
        met.push(value);
        const link = links[value];
        if (removals[value] === true && link) list.remove(link);
      }
      expect(met).toEqual([...removals.keys()]);
      expect([...list]).toEqual(met.filter((value) => removals[value] !== true));
    }),
  );
});
