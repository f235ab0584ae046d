// The door "toolmap/testing": what a test of an agent needs in place of a model, a clock and a disk.

export { manualClock } from "./manual-clock.ts";
export type { ManualClock } from "./manual-clock.ts";
export { memoryPorts } from "./memory-ports.ts";
export type { MemoryJournal, MemoryLock, MemoryPorts } from "./memory-ports.ts";
export { scriptedModel } from "./scripted-model.ts";
export type { FinishReason, ScriptedCall, ScriptedModel, ScriptedTurn } from "./scripted-model.ts";
