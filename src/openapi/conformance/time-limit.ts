import vm from "node:vm";

/** Time limits for checking response bodies, in milliseconds. Only tests use values other than `LIMITS`. */
export interface Limits {
  /** The limit for matching one pattern against one text. */
  readonly pattern: number;
  /** The limit for checking one body, and for compiling its schema. Some patterns and nested alternatives take exponential time. */
  readonly body: number;
}

export const LIMITS: Limits = { pattern: 200, body: 3000 };

let holder: vm.Context | undefined;
let script: vm.Script | undefined;

/**
 * Calls a function with a time limit. Node's `vm` module enforces the limit, because JavaScript in the same thread cannot interrupt a regular
 * expression.
 * @returns `undefined` if the call timed out or exceeded the stack
 */
export function within<T extends object>(milliseconds: number, call: () => T): T | undefined {
  holder ??= vm.createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
  script ??= new vm.Script("run()");
  const before = holder["run"] as unknown;
  holder["run"] = call;
  try {
    return script.runInContext(holder, { timeout: milliseconds }) as T;
  } catch (error) {
    if (error instanceof RangeError || (error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  } finally {
    holder["run"] = before;
  }
}
