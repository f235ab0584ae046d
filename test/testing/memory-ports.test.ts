import { describe, expect, expectTypeOf, test } from "vitest";
import type { Ports } from "toolmap";
import { memoryPorts } from "toolmap/testing";

describe("memoryPorts", () => {
  test("memoryPorts fits a session's ports", () => {
    expectTypeOf(memoryPorts()).toExtend<Ports>();
  });

  test("spill gives back what was written, in pieces", async () => {
    const { spill } = memoryPorts();
    const first = await spill.write("hello world");
    const second = await spill.write("other");
    expect(first.id).not.toBe(second.id);
    expect(await spill.read(first.id, 6, 100)).toBe("world");
    expect(await spill.read(second.id, 0, 2)).toBe("ot");
    await expect(spill.read("spill-99", 0, 1)).rejects.toMatchObject({ code: "bad-option" });
  });

  test("journal keeps frozen copies in order", async () => {
    const { journal } = memoryPorts();
    const entry = { type: "intent", input: { n: 1 } };
    await journal.append(entry, { sync: true });
    await journal.append({ type: "outcome" }, { sync: false });
    entry.input.n = 2;
    expect(journal.entries).toEqual([{ type: "intent", input: { n: 1 } }, { type: "outcome" }]);
    expect(Object.isFrozen(journal.entries[0]?.["input"])).toBe(true);
  });

  test("secrets knows the values that it was given, and no others", async () => {
    const { secrets } = memoryPorts({ secrets: { TOKEN: "t" } });
    expect(await secrets.get("TOKEN")).toBe("t");
    for (const name of ["OTHER", "constructor", "__proto__"]) expect(await secrets.get(name)).toBeUndefined();
  });

  test("lock gives a session to one owner at a time, with a rising fence", async () => {
    const { lock } = memoryPorts();
    const first = await lock.open("s");
    await expect(lock.open("s")).rejects.toMatchObject({ code: "bad-option" });
    await lock.open("other");
    await first.release();
    const second = await lock.open("s");
    expect(second.fence).toBeGreaterThan(first.fence);
    await first.release();
    await expect(lock.open("s")).rejects.toThrow("open already");
  });

  test("lock can be lost, and then belongs to the next owner", async () => {
    const { lock } = memoryPorts();
    const first = await lock.open("s");
    expect(first.lost.aborted).toBe(false);
    lock.lose("s");
    lock.lose("never opened");
    expect(first.lost.aborted).toBe(true);
    const second = await lock.open("s");
    await first.release();
    await expect(lock.open("s")).rejects.toThrow("open already");
    expect(second.lost.aborted).toBe(false);
  });
});
