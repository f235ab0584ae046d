import type { ToolRegistry } from "../registry/registry.ts";
import type { EventHub } from "./event-hub.ts";
import type { SessionView } from "./session-view.ts";

/** Tells observers what a rebuild of the registry changed. Returns what stops it. */
export function watchRegistry(
  registry: ToolRegistry,
  { view, hub }: { readonly view: SessionView; readonly hub: EventHub },
): () => void {
  // Taken when somebody begins to listen: what changed before is no news, and costs nobody anything.
  let before = EMPTY;
  hub.whenWatched(() => {
    before = snapshotOf(view);
  });
  return registry.subscribe((rebuilt) => {
    if (!hub.isObserved) return;
    hub.emit({ type: "registry-rebuilt", revision: rebuilt.revision });
    const now = snapshotOf(view);
    const { names, sources } = before;
    for (const source of rebuilt.sources) {
      if (sources.get(source.id) !== source.state) hub.emit({ type: "source-changed", ...source });
    }
    const added = [...now.names].filter((name) => !names.has(name));
    const removed = [...names].filter((name) => !now.names.has(name));
    if (added.length > 0 || removed.length > 0) hub.emit({ type: "plan-changed", added, removed });
    before = now;
  });
}

interface Snapshot {
  readonly names: ReadonlySet<string>;
  readonly sources: ReadonlyMap<string, string>;
}

const EMPTY: Snapshot = { names: new Set(), sources: new Map() };

function snapshotOf({ current }: SessionView): Snapshot {
  return {
    names: new Set(current.visible.map(({ name }) => name)),
    sources: new Map(current.plan.sources.map(({ id, state }) => [id, state])),
  };
}
