import type { Caller } from "../tool/call.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { ParsedEntry } from "./parse-entry.ts";

/** One layer of will. Absent list = no restriction; `allow: []` = nothing. */
export interface PolicyLayer {
  readonly name: string;
  readonly profile?: string;
  /** What may be seen and called at all; whole tools only. */
  readonly allow?: readonly string[];
  /** Widens this layer's own profile. */
  readonly alsoAllow?: readonly string[];
  /** A ceiling: binds descendants too. */
  readonly deny?: readonly string[];
  /** Binds this session alone. */
  readonly denySelf?: readonly string[];
  readonly ask?: readonly string[];
  /** What runs without asking. Makes nothing visible; never beats `deny` or a written `ask`. */
  readonly approve?: readonly string[];
}

/** The lists of a layer that hold entries. */
export type PolicyList = "profile" | "allow" | "alsoAllow" | "deny" | "denySelf" | "ask" | "approve";

/** The port that turns a rule into `file:line`. */
export interface Places {
  placeOf(layer: string, list: string, index: number): string | undefined;
}

/** A rule that spoke: its text, where it stands. */
export interface PolicyRule {
  readonly layer: string;
  readonly list: PolicyList;
  /** As written, e.g. `deny exec`; for a tool outside an `allow`, the list, e.g. `allow [read, grep]`. */
  readonly text: string;
  /** `file:line`, where the places port knows it. */
  readonly source?: string;
}

/** The answer for one tool and caller. `rule` is absent where no rule spoke and the default decided. */
export interface PolicyDecision {
  readonly verdict: "allow" | "ask" | "deny";
  readonly rule?: PolicyRule;
  /** One sentence: what decided. */
  readonly message: string;
  /** The smallest change that would flip the answer, where there is one. */
  readonly fix?: string;
  /** Every rule that asked, for the approval's digest. */
  readonly asked: readonly PolicyRule[];
}

/** When a model's call asks where no rule speaks. `writes`: all but read-only and the program's own. */
export type AskDefault = "never" | "writes" | "always";

/** An entry with where it stands. */
export interface CompiledEntry {
  readonly parsed: ParsedEntry;
  readonly text: string;
  readonly rule: PolicyRule;
  matches(descriptor: ToolDescriptor): boolean;
}

/** A layer, checked. */
export interface CompiledLayer {
  readonly name: string;
  readonly profile: { readonly rule: PolicyRule; matches(descriptor: ToolDescriptor): boolean } | undefined;
  readonly allow: readonly CompiledEntry[] | undefined;
  /** The whole `allow` as a rule, for a tool that is outside of it. */
  readonly allowRule: PolicyRule | undefined;
  readonly alsoAllow: readonly CompiledEntry[];
  readonly deny: readonly CompiledEntry[];
  readonly denySelf: readonly CompiledEntry[];
  readonly ask: readonly CompiledEntry[];
  readonly approve: readonly CompiledEntry[];
}

/** Layers, checked and compiled once; used at list time and at call time. */
export interface CompiledPolicy {
  /** The layers as given. */
  readonly layers: readonly PolicyLayer[];
  /** The layers as compiled, in order. */
  readonly compiled: readonly CompiledLayer[];
  /** Pure. A view keeps the answers for its entries. */
  decide(descriptor: ToolDescriptor, caller: Caller): PolicyDecision;
}
