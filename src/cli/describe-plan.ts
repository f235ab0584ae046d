import { digestJson } from "../core/digest.ts";
import type { AgentSession } from "../core/session/agent-session.ts";
import { toToolProtocolDescriptor } from "../core/tool/descriptor.ts";
import type { ToolDiagnostic } from "../core/tool/diagnostic.ts";
import { formatOrigin } from "../core/tool/owner.ts";
import type { ShadowedTool, SourceState } from "../core/registry/registry.ts";
import { countTokens } from "./token-count.ts";

/** What `toolmap tools` says. */
export interface PlanDocument {
  readonly visible: readonly {
    readonly name: string;
    readonly origin: string;
    readonly description: string;
    readonly tokens: number;
  }[];
  readonly hidden: readonly {
    readonly name: string;
    readonly origin: string;
    readonly diagnostics: readonly Pick<ToolDiagnostic, "reason" | "message" | "source">[];
  }[];
  readonly shadowed: readonly ShadowedTool[];
  readonly sources: readonly SourceState[];
  readonly tokens: { readonly count: number; readonly estimated: true };
}

/** The plan as data. */
export function describePlan(session: AgentSession): PlanDocument {
  const plan = session.plan();
  const visible = plan.visible.map(({ descriptor }) => descriptor);
  const costs = visible.map(countTokens);
  return {
    visible: visible.map(({ name, owner, description }, at) => ({
      name,
      origin: formatOrigin(owner),
      description,
      tokens: costs[at] ?? 0,
    })),
    hidden: plan.hidden.map(({ descriptor, diagnostics }) => ({
      name: descriptor.name,
      origin: formatOrigin(descriptor.owner),
      diagnostics: diagnostics.map(describeDiagnostic),
    })),
    shadowed: session.refreshToolRegistry().shadowed,
    sources: plan.sources,
    tokens: { count: costs.reduce((sum, each) => sum + each, 0), estimated: true },
  };
}

/** The digest of the visible definitions in their order, as a model gets them. Takes longer than all the rest of a plan. */
export function digestPlan(session: AgentSession): string {
  return digestJson(session.plan().visible.map(({ descriptor }) => ({ ...toToolProtocolDescriptor(descriptor) })));
}

/** What a document says of a diagnostic: not the signal, which is for programs of the library. */
export function describeDiagnostic({
  reason,
  message,
  source,
}: ToolDiagnostic): Pick<ToolDiagnostic, "reason" | "message" | "source"> {
  return { reason, message, ...(source === undefined ? {} : { source }) };
}
