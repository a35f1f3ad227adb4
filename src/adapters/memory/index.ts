export { MemoryAdapter } from "./memory-adapter.ts";
