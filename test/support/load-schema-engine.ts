import { loadSchemaEngine } from "../../src/core/schema/compile-schema.ts";

// Read from the disk once, so that `settle` means the same before and after the first check. That a first call loads it by
// itself is proven where calls are made in a process of their own.
await loadSchemaEngine();
