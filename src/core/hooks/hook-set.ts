import { ToolmapError } from "../errors.ts";
import { isRecord } from "../json.ts";
import { compileEntries } from "../policy/compile-entries.ts";
import { lintEntries, type PolicyUniverse } from "../policy/lint-policy.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { Warning } from "../tool/diagnostic.ts";
import type { Hook } from "./hook.ts";

interface HooksOfTool {
  readonly before: readonly Hook[];
  readonly after: readonly Hook[];
}

const NO_HOOKS: HooksOfTool = Object.freeze({ before: [], after: [] });

/** A session's hooks in registration order, looked up by tool. */
export class HookSet {
  readonly hooks: readonly Hook[];
  readonly #matches: readonly ((descriptor: ToolDescriptor) => boolean)[];
  readonly #byTool = new WeakMap<ToolDescriptor, HooksOfTool>();

  /** Where no hook names tools, all tools pass the same ones: no table is kept. */
  readonly #ofAll: HooksOfTool | undefined;

  /** Throws `bad-hook` or `bad-policy` when a hook or one of its `tools` entries is not usable. */
  constructor(hooks: readonly Hook[]) {
    this.hooks = hooks.map(assertHook);
    this.#matches = this.hooks.map(({ name, tools }) =>
      tools === undefined ? () => true : compileEntries(tools, `hook "${name}"`),
    );
    if (this.hooks.every(({ tools }) => tools === undefined)) this.#ofAll = splitHooks(this.hooks);
  }

  /** The hooks that a call of this tool passes. */
  of(descriptor: ToolDescriptor): HooksOfTool {
    if (this.#ofAll) return this.#ofAll;
    const known = this.#byTool.get(descriptor);
    if (known) return known;
    const found = splitHooks(this.hooks.filter((_, index) => this.#matches[index]?.(descriptor) === true));
    this.#byTool.set(descriptor, found);
    return found;
  }

  /** What the hooks' `tools` entries have to say for themselves: unknown names, and what is not there yet. */
  lint(universe: PolicyUniverse): readonly Warning[] {
    return this.hooks.flatMap(({ name, tools }) => (tools ? lintEntries(tools, universe, `Hook "${name}"`) : []));
  }
}

function splitHooks(hooks: readonly Hook[]): HooksOfTool {
  if (hooks.length === 0) return NO_HOOKS;
  return {
    before: hooks.filter((hook) => hook.beforeToolCall !== undefined),
    after: hooks.filter((hook) => hook.afterToolCall !== undefined),
  };
}

function assertHook(hook: Hook, index: number): Hook {
  if (!isRecord(hook)) throw new ToolmapError("bad-hook", `hooks[${index}] is not an object.`);
  const name: unknown = hook.name;
  if (typeof name !== "string" || name === "") {
    throw new ToolmapError("bad-hook", `hooks[${index}] has no name.`, { fix: "Name it: messages about it say so." });
  }
  for (const method of ["beforeToolCall", "afterToolCall"] as const) {
    if (hook[method] !== undefined && typeof hook[method] !== "function") {
      throw new ToolmapError("bad-hook", `Hook "${name}": ${method} is not a function.`);
    }
  }
  const { timeoutMs } = hook;
  if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs > 0)) {
    throw new ToolmapError("bad-hook", `Hook "${name}": timeoutMs must be a number over 0, in milliseconds.`);
  }
  return hook;
}
