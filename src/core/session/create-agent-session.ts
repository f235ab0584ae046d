import { type Clock, systemClock } from "../clock.ts";
import { ApprovalDesk } from "../dispatch/approval-desk.ts";
import { Dispatcher } from "../dispatch/dispatcher.ts";
import type { CallLimits } from "../dispatch/limits.ts";
import { processResourceTable } from "../dispatch/resource-table.ts";
import { digestJson } from "../digest.ts";
import { ToolmapError } from "../errors.ts";
import { messageOf } from "../hooks/call-hook.ts";
import { HookSet } from "../hooks/hook-set.ts";
import { WriteLock } from "../hooks/write-lock.ts";
import { childLayers, childPlaces, compilePolicy } from "../policy/compile-policy.ts";
import { describeRejectOnly, lintPolicy, type PolicyUniverse } from "../policy/lint-policy.ts";
import { mayRepeat } from "../policy/hints.ts";
import type { AskDefault, CompiledPolicy } from "../policy/policy.ts";
import type { View } from "../policy/view.ts";
import { createToolRegistry } from "../registry/create-tool-registry.ts";
import type { ToolRegistry } from "../registry/registry.ts";
import type { Warning } from "../tool/diagnostic.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import { canonicalToolName } from "../tool/name.ts";
import { copyJson } from "../tool/read-content.ts";
import type { AgentSession, SessionOptions } from "./agent-session.ts";
import { assertSessionOptions } from "./assert-options.ts";
import { EventHub } from "./event-hub.ts";
import { createHookState } from "./hook-state.ts";
import { describeResumed, resumeSession, startedCalls, usedIds } from "./resume.ts";
import { resolveCallLimits, resolveGates } from "./resolve-options.ts";
import { Session } from "./session.ts";
import { SessionHealth } from "./session-health.ts";
import { readSessionRecord, type SessionRecord } from "./session-record.ts";
import { type RecordEntry, SessionRecorder } from "./session-recorder.ts";
import { SessionView } from "./session-view.ts";
import { watchRegistry } from "./watch-registry.ts";

/**
 * Creates a session. Throws ToolmapError for options, tools, hooks and policies that cannot be used; a source that does
 * not start is `down` in the plan and no error.
 */
export function createAgentSession<App = unknown>(options: SessionOptions<App> = {}): Promise<AgentSession> {
  return createSession(options, NO_PARENT);
}

/** What a session has to know of the one that made it. */
interface Lineage {
  /** How many of its layers are its parent's: they were checked when that one was created. */
  readonly inheritedLayers: number;
  readonly parentId: string | undefined;
  /** The session has closed. */
  forget(): void;
}

const NO_PARENT: Lineage = Object.freeze({ inheritedLayers: 0, parentId: undefined, forget: () => undefined });

async function createSession(options: SessionOptions, lineage: Lineage): Promise<AgentSession> {
  assertSessionOptions(options);
  const id = options.id ?? freshSessionId();
  const clock: Clock = options.ports?.clock ?? systemClock;
  const limits = resolveCallLimits(options.limits);
  const hooks = new HookSet(options.hooks ?? []);
  const places = options.ports?.places;
  const ask = options.defaults?.ask;
  const policy = compilePolicy(options.policy ?? [], { ...(ask ? { ask } : {}), ...(places ? { places } : {}) });
  const { registry, closeRegistry } = openRegistry(options);
  try {
    return await assemble(options, lineage, { id, clock, limits, hooks, policy, registry, closeRegistry });
  } catch (error) {
    await closeRegistry();
    throw error;
  }
}

interface SessionBasis {
  readonly id: string;
  readonly clock: Clock;
  readonly limits: CallLimits;
  readonly hooks: HookSet;
  readonly policy: CompiledPolicy;
  readonly registry: ToolRegistry;
  readonly closeRegistry: () => Promise<void>;
}

async function assemble(
  options: SessionOptions,
  lineage: Lineage,
  { id, clock, limits, hooks, policy, registry, closeRegistry }: SessionBasis,
): Promise<AgentSession> {
  const warnings: Warning[] = [];
  const hub = new EventHub(id, clock, (error) => {
    warnings.push({ code: "observer-failed", message: `An observer of session ${id} failed: ${messageOf(error)}` });
  });
  const health = new SessionHealth((message) => hub.emit({ type: "session-degraded", message }));
  const view = new SessionView({ registry, policy, availability: options.availability, gates: resolveGates(options) });
  assertPolicyFits({ ...policy, compiled: policy.compiled.slice(lineage.inheritedLayers) }, view.current);
  const rejectOnly = options.approver ? undefined : describeRejectOnly(visibleThatAsk(view.current));
  if (rejectOnly) warnings.push(rejectOnly);

  const lease = await options.ports?.lock?.open(id);
  const record = await readRecord(id, options, lease);
  const recorder = new SessionRecorder({
    sessionId: id,
    journal: options.ports?.journal,
    opening: () => openingEntry(options, policy, lineage),
    health,
    clock,
    journalMs: limits.journalMs,
  });
  const lock = new WriteLock();
  const dispatcher = new Dispatcher({
    sessionId: id,
    clock,
    limits,
    lock,
    hooks,
    hookState: createHookState(record.state, (key, value) => recorder.write({ type: "state", key, value })),
    resources: processResourceTable,
    approvals: new ApprovalDesk(record.usedApprovals),
    approver: options.approver,
    journal: recorder.journal,
    spill: options.ports?.spill,
    secrets: options.ports?.secrets,
    app: options.app,
    currentView: () => view.current,
    isActive: (name) => view.isActive(name),
    degradation: () => health.degradation,
    degrade: (message) => health.degrade(message),
    isClosed: () => health.isClosed,
    emitter: () => (hub.isObserved ? emit : undefined),
  });
  const emit = hub.emit.bind(hub);
  lease?.lost.addEventListener("abort", () => {
    health.lose("its lock was lost: another process has it");
    dispatcher.cancelAll("the session's lock was lost");
  });
  const resumed = resumeSession(record, (name) => mayRepeatTool(view.current, name));
  dispatcher.restore(usedIds(record, resumed), startedCalls(record, resumed));
  warnings.push(...describeResumed(resumed));
  for (const { callId, name, outcome, content } of resumed.found) {
    recorder.write({ type: "outcome", callId, name, outcome, content });
  }
  const stopWatching = watchRegistry(registry, { view, hub });
  const lint = lintOnce(policy, hooks);
  return new Session({
    id,
    options,
    clock,
    lock,
    hub,
    health,
    registry,
    view,
    dispatcher,
    recorder,
    turns: record.turns,
    resumed: options.resume === true ? resumed : undefined,
    graceMs: limits.graceMs,
    warningsOf: (current) => [...warnings, ...health.warnings, ...lint(current)],
    createChild: (own, forgetChild) =>
      createSession(childOptions(options, own, registry), {
        inheritedLayers: options.policy?.length ?? 0,
        parentId: id,
        forget: forgetChild,
      }),
    release: async () => {
      lineage.forget();
      stopWatching();
      await recorder.close();
      await closeRegistry();
      await lease?.release().catch((error: unknown) => health.degrade(messageOf(error)));
    },
  });
}

/** What is on record under this id. One that was made up just now has none. Gives the lease back when it cannot be read. */
async function readRecord(
  id: string,
  options: SessionOptions,
  lease: { release(): Promise<void> } | undefined,
): Promise<SessionRecord> {
  try {
    const entries = options.id === undefined ? [] : ((await options.ports?.journal?.read?.(id)) ?? []);
    const record = readSessionRecord(entries);
    if (options.resume === true && record.isEmpty) throw unknownSession(id);
    return record;
  } catch (error) {
    await lease?.release();
    throw error;
  }
}

/** What was in force when the session was opened: the digest tells later whether its policy is still the same. */
function openingEntry(options: SessionOptions, { layers }: CompiledPolicy, { parentId }: Lineage): RecordEntry {
  return {
    type: "session-opened",
    isResumed: options.resume === true,
    policy: digestJson(copyJson(layers) ?? null),
    ...(parentId === undefined ? {} : { parent: parentId }),
  };
}

function unknownSession(id: string): ToolmapError {
  return new ToolmapError(
    "unknown-session",
    `The session "${id}" cannot be resumed: nothing is on record under this id.`,
    {
      fix: "Check the id, or leave resume out to begin a session under it.",
    },
  );
}

/** A tool that is there and may run, and says that running it twice does no harm. */
function mayRepeatTool({ entries }: View, name: string): boolean {
  const entry = entries.get(name);
  return entry !== undefined && entry.hidden === undefined && !entry.isDown && mayRepeat(entry.descriptor);
}

/** Unique, and no secret: `globalThis.crypto` would cost several milliseconds to load and keeps nothing safe here. */
function freshSessionId(): string {
  const random = (): string =>
    Math.floor(Math.random() * 2 ** 48)
      .toString(36)
      .padStart(10, "0");
  return `s-${Date.now().toString(36)}-${random()}${random()}`;
}

/** A registry that others share stays theirs; one of our own goes with the session. */
function openRegistry(options: SessionOptions): {
  readonly registry: ToolRegistry;
  readonly closeRegistry: () => Promise<void>;
} {
  if (options.registry) return { registry: options.registry, closeRegistry: () => Promise.resolve() };
  const { tools, sources, disableBuiltInTools } = options;
  const registry = createToolRegistry({
    // Switched off before the merge, so that a tool of the program's may have a built-in's name.
    ...(tools
      ? { tools: disableBuiltInTools ? tools.filter(({ descriptor }) => descriptor.owner.kind !== "core") : tools }
      : {}),
    ...(sources ? { sources: disableBuiltInTools ? sources.filter(({ kind }) => kind !== "core") : sources } : {}),
  });
  return { registry, closeRegistry: () => registry.close() };
}

/** A typo in a deny or an ask is a hole: then no session is created. */
function assertPolicyFits(policy: CompiledPolicy, view: View): void {
  const { errors } = lintPolicy(policy, universeOf(view));
  const [first] = errors;
  if (!first) return;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  throw new ToolmapError("bad-policy", `${first.message}${more}`, { fix: first.fix, source: first.source });
}

/** Everything that exists for a policy to speak of, hidden tools too. */
function universeOf({ registry }: View): PolicyUniverse {
  const inMap = [...registry.tools.values()].map(({ descriptor }) => descriptor);
  return {
    descriptors: [...inMap, ...registry.hidden.map(({ descriptor }) => descriptor)],
    sources: registry.sources,
    sourceKinds: registry.sourceKinds,
  };
}

function visibleThatAsk({ entries, visible }: View): readonly ToolDescriptor[] {
  return visible.filter(({ name }) => entries.get(name)?.decisions.model?.verdict === "ask");
}

/** Lint of a view, computed when a plan is first asked for and kept while the view stays. */
function lintOnce(policy: CompiledPolicy, hooks: HookSet): (view: View) => readonly Warning[] {
  let last: { readonly view: View; readonly warnings: readonly Warning[] } | undefined;
  return (view) => {
    if (last?.view === view) return last.warnings;
    const universe = universeOf(view);
    const { errors, warnings } = lintPolicy(policy, universe);
    last = { view, warnings: [...errors, ...warnings, ...hooks.lint(universe)] };
    return last.warnings;
  };
}

/** What a child has of its parent: registry, denies and asks, hooks, approver, facts, ports, gates. Its own may only narrow. */
function childOptions(parent: SessionOptions, own: SessionOptions, registry: ToolRegistry): SessionOptions {
  const { approver, availability, systemPrompt, caller, app, limits, defaults } = parent;
  const allowed = narrowNames(parent.allowedToolNames, own.allowedToolNames);
  const ask = strictest(defaults?.ask, own.defaults?.ask);
  return {
    ...definedOnly({ approver, availability, systemPrompt, caller, app }),
    ...own,
    registry,
    policy: [...childLayers(parent.policy ?? []), ...(own.policy ?? [])],
    ports: { ...parent.ports, ...own.ports, places: childPlaces(parent.ports?.places, own.ports?.places) },
    hooks: [...(parent.hooks ?? []), ...(own.hooks ?? [])],
    disableBuiltInTools: parent.disableBuiltInTools === true || own.disableBuiltInTools === true,
    limits: { ...limits, ...definedOnly(own.limits ?? {}) },
    ...(ask === undefined ? {} : { defaults: { ask } }),
    ...(allowed ? { allowedToolNames: allowed } : {}),
  };
}

const STRICTNESS: readonly AskDefault[] = ["never", "writes", "always"];

/** Whichever asks more often. What neither says stays the default. */
function strictest(parent: AskDefault | undefined, own: AskDefault | undefined): AskDefault | undefined {
  if (parent === undefined && own === undefined) return undefined;
  const rank = (ask: AskDefault | undefined): number => STRICTNESS.indexOf(ask ?? "writes");
  return STRICTNESS[Math.max(rank(parent), rank(own))];
}

function narrowNames(
  parent: readonly string[] | undefined,
  own: readonly string[] | undefined,
): readonly string[] | undefined {
  if (!parent || !own) return own ?? parent;
  const allowed = new Set(parent.map(canonicalToolName));
  return own.filter((name) => allowed.has(canonicalToolName(name)));
}

function definedOnly<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Object.fromEntries forgets the keys' names; the members are those of `options` less the undefined ones.
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
