import * as fc from "fast-check";
import { type AgentSession, type AgentTool, createAgentSession, type SourceSnapshot } from "toolmap";
import { expect, test } from "vitest";
import { fakeSource, makeTool, settle } from "../support/tools.ts";

const SOURCES = ["a", "b", "c", "d", "e"] as const;
const TOOLS_OF_EACH = 20;

/** Definitions are rebuilt at each reconnect, as a server's are: equal, and never the same objects. */
const toolOf = (source: string, at: number, version: number): AgentTool =>
  makeTool(`${source}__t${at}`, () => `${source} ${at} ${version}`, {
    owner: { kind: "mcp", serverId: source },
    description: `version ${version}`,
  });

/** Where a source is; what it lists follows from this alone. */
interface Place {
  state: SourceSnapshot["state"];
  count: number;
  version: number;
}

interface Model {
  readonly places: Map<string, Place>;
  wanted: readonly string[] | undefined;
}

class Real {
  readonly sources = SOURCES.map((id) => fakeSource(id, "mcp", { tools: [], state: "starting" }));
  session!: AgentSession;

  async open(): Promise<this> {
    this.session = await createAgentSession({
      sources: this.sources,
      tools: [makeTool("own", () => "own")],
      policy: [{ name: "p", deny: ["mcp:e/e__t0"] }],
      defaults: { ask: "never" },
    });
    return this;
  }

  set(id: string, { state, count, version }: Place): void {
    const tools = Array.from({ length: count }, (_, at) => toolOf(id, at, version));
    this.sources.find((source) => source.id === id)?.set({ tools, state });
  }
}

/** The names that have to be sent, from the state alone and not from the way there. */
function expectedNames({ places, wanted }: Model): readonly string[] {
  const names = [...places].flatMap(([id, { count }]) => Array.from({ length: count }, (_, at) => `${id}__t${at}`));
  return [...names, "own"]
    .filter((name) => name !== "e__t0" && (wanted === undefined || wanted.includes(name)))
    .sort((left, right) => (left < right ? -1 : 1));
}

async function assertSound(model: Model, { session }: Real): Promise<void> {
  const plan = session.plan();
  const { tools } = session.beginTurn();
  expect(tools.map(({ name }) => name)).toEqual(expectedNames(model));
  expect(session.beginTurn().tools).toBe(tools);
  expect(plan.sources.map(({ state }) => state)).toEqual(SOURCES.map((id) => model.places.get(id)?.state));
  const descriptions = new Map(tools.map(({ name, description }) => [name, description]));
  for (const [id, { count, version }] of model.places) {
    const known = descriptions.get(`${id}__t${count - 1}`);
    if (known !== undefined) expect(known).toBe(`version ${version}`);
  }
  await assertAnswers(model, session);
}

/** One call of each source, and one of nobody's: each is answered as the state says. */
async function assertAnswers({ places, wanted }: Model, session: AgentSession): Promise<void> {
  const names = [...SOURCES.map((id) => `${id}__t1`), "own", "nobody"];
  const results = await session.dispatchBatch(names.map((name) => ({ name })));
  expect(results.map(({ outcome }) => outcome)).toEqual(
    names.map((name) => {
      const place = places.get(name.slice(0, 1));
      if (name === "nobody" || (name !== "own" && (place?.count ?? 0) < 2)) return "unknown-tool";
      if (wanted && !wanted.includes(name)) return "unavailable";
      return name !== "own" && place?.state === "down" ? "unavailable" : "ok";
    }),
  );
}

type Command = fc.AsyncCommand<Model, Real>;

/** A source says where it is now. */
class Move implements Command {
  readonly #id: string;
  readonly #place: Place;
  constructor(id: string, place: Place) {
    this.#id = id;
    this.#place = place;
  }
  check = (): boolean => true;
  async run(model: Model, real: Real): Promise<void> {
    model.places.set(this.#id, this.#place);
    real.set(this.#id, this.#place);
    await settle();
    await assertSound(model, real);
  }
  toString = (): string => `${this.#id} -> ${JSON.stringify(this.#place)}`;
}

/** All five change their minds within one tick; only where they end up counts. */
class Storm implements Command {
  readonly #places: readonly Place[];
  constructor(places: readonly Place[]) {
    this.#places = places;
  }
  check = (): boolean => true;
  async run(model: Model, real: Real): Promise<void> {
    const { revision } = real.session.refreshToolRegistry();
    for (const [at, place] of this.#places.entries()) {
      const id = SOURCES[at % SOURCES.length] ?? "a";
      model.places.set(id, place);
      real.set(id, place);
    }
    await settle();
    expect(real.session.refreshToolRegistry().revision).toBe(revision + 1);
    await assertSound(model, real);
  }
  toString = (): string => `storm ${JSON.stringify(this.#places)}`;
}

/** A server loses its connection and comes back: nothing that is sent may change, not even the array. */
class Reconnect implements Command {
  readonly #id: string;
  constructor(id: string) {
    this.#id = id;
  }
  check = ({ places }: Readonly<Model>): boolean => places.get(this.#id)?.state === "ready";
  async run(model: Model, real: Real): Promise<void> {
    const place = model.places.get(this.#id);
    if (!place) return;
    const before = real.session.beginTurn().tools;
    for (const state of ["down", "starting", "down", "ready"] as const) {
      real.set(this.#id, { ...place, state });
      await settle();
      expect(real.session.beginTurn().tools).toBe(before);
    }
    await assertSound(model, real);
  }
  toString = (): string => `${this.#id} reconnects`;
}

/** The conversation uses some tools only. What is not there is skipped. */
class Activate implements Command {
  readonly #names: readonly string[];
  constructor(names: readonly string[]) {
    this.#names = names;
  }
  check = (): boolean => true;
  async run(model: Model, real: Real): Promise<void> {
    model.wanted = undefined;
    const there = expectedNames(model);
    model.wanted = this.#names.filter((name) => there.includes(name));
    const { active, skipped } = real.session.setActiveToolsByName(this.#names);
    expect([...active].sort()).toEqual([...new Set(model.wanted)].sort());
    expect(skipped).toHaveLength(this.#names.length - model.wanted.length);
    await assertSound(model, real);
  }
  toString = (): string => `activate ${this.#names.join()}`;
}

/** The flap happens while a turn is open: its calls are all answered. */
class MoveDuringTurn implements Command {
  readonly #id: string;
  readonly #place: Place;
  constructor(id: string, place: Place) {
    this.#id = id;
    this.#place = place;
  }
  check = (): boolean => true;
  async run(model: Model, real: Real): Promise<void> {
    const turn = real.session.beginTurn();
    model.places.set(this.#id, this.#place);
    real.set(this.#id, this.#place);
    const results = await turn.dispatch(turn.tools.map(({ name }, at) => ({ id: `${at}`, name })));
    expect(results.map(({ name }) => name)).toEqual(turn.tools.map(({ name }) => name));
    for (const { outcome } of results) expect(["ok", "unavailable", "blocked"]).toContain(outcome);
    await settle();
    await assertSound(model, real);
  }
  toString = (): string => `${this.#id} -> ${JSON.stringify(this.#place)} during a turn`;
}

const place: fc.Arbitrary<Place> = fc.record({
  state: fc.constantFrom("ready", "ready", "down", "starting"),
  count: fc.constantFrom(0, 1, 2, TOOLS_OF_EACH),
  version: fc.nat({ max: 2 }),
});
const id = fc.constantFrom(...SOURCES);
const someNames = fc.subarray([...SOURCES.flatMap((each) => [`${each}__t0`, `${each}__t1`]), "own", "nobody"]);

test("a hundred tools of five sources that flap: the session answers, and what it sends follows from the state alone", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands<Model, Real, false>(
        [
          fc.tuple(id, place).map(([each, next]) => new Move(each, next)),
          fc.array(place, { minLength: 1, maxLength: 12 }).map((places) => new Storm(places)),
          id.map((each) => new Reconnect(each)),
          someNames.map((names) => new Activate(names)),
          fc.tuple(id, place).map(([each, next]) => new MoveDuringTurn(each, next)),
        ],
        { maxCommands: 12 },
      ),
      async (commands) => {
        const full: Place = { state: "ready", count: TOOLS_OF_EACH, version: 0 };
        const real = await new Real().open();
        const model: Model = { places: new Map(SOURCES.map((each) => [each, full])), wanted: undefined };
        for (const each of SOURCES) real.set(each, full);
        await settle();
        expect(real.session.beginTurn().tools).toHaveLength(TOOLS_OF_EACH * SOURCES.length);
        await fc.asyncModelRun(() => ({ model, real }), commands);
        expect(await real.session.close()).toEqual({ late: [] });
      },
    ),
    { numRuns: 40 },
  );
});
