/** What a model is told of a call that had started when its process ended. */
export function describeInterrupted(name: string): string {
  return `"${name}" was interrupted: the process ended while it ran. It may have done all or a part of its work, so look before you call it again.`;
}
