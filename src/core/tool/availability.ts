import type { JsonObject, JsonValue } from "../json.ts";

/** One fact about the world that a tool needs. */
export type AvailabilitySignal =
  | { readonly kind: "always" }
  | { readonly kind: "auth"; readonly providerId: string }
  | { readonly kind: "config"; readonly path: readonly string[]; readonly check?: "exists" | "non-empty" | "available" }
  | { readonly kind: "env"; readonly name: string }
  | { readonly kind: "plugin-enabled"; readonly pluginId: string }
  | { readonly kind: "context"; readonly key: string; readonly equals?: string | number | boolean | null };

/** The condition a descriptor may carry. Empty groups are authoring errors and hide the tool. */
export type Availability =
  | AvailabilitySignal
  | { readonly allOf: readonly Availability[] }
  | { readonly anyOf: readonly Availability[] };

/** The facts that a plan is evaluated in. A missing member behaves as empty. */
export interface AvailabilityContext {
  readonly authProviderIds?: ReadonlySet<string>;
  readonly config?: JsonObject;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly enabledPluginIds?: ReadonlySet<string>;
  readonly values?: Readonly<Record<string, string | number | boolean | null>>;
  /** Answers `check: "available"`: whether a configured value, such as a secret reference, resolves. Only `true` passes. */
  isConfigValueAvailable?(request: {
    readonly value: JsonValue;
    readonly path: readonly string[];
    readonly signal: AvailabilitySignal;
  }): boolean;
}
