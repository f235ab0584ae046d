import type { ToolDescriptor } from "../tool/descriptor.ts";

/** Whether a source's hints were reviewed by a person, or its owner marked it as trusted. */
export type Trusts = (descriptor: ToolDescriptor) => boolean;

/** Hints that loosen count only from core, custom, and whom `trusts` names; elsewhere they are shown and ignored. */
export function hintsCount(descriptor: ToolDescriptor, trusts?: Trusts): boolean {
  const { kind } = descriptor.owner;
  return kind === "core" || kind === "custom" || trusts?.(descriptor) === true;
}

/** Marked as destructive, which counts from everyone. */
export function isDestructive({ annotations }: ToolDescriptor): boolean {
  return annotations?.destructiveHint === true;
}

/** A hint that counts says that running it twice does what running it once does. */
export function mayRepeat(descriptor: ToolDescriptor, trusts?: Trusts): boolean {
  if (isReadOnly(descriptor, trusts)) return true;
  return descriptor.annotations?.idempotentHint === true && hintsCount(descriptor, trusts);
}

/** Read-only by a hint that counts. A tool that also calls itself destructive is not. */
export function isReadOnly(descriptor: ToolDescriptor, trusts?: Trusts): boolean {
  return descriptor.annotations?.readOnlyHint === true && !isDestructive(descriptor) && hintsCount(descriptor, trusts);
}
