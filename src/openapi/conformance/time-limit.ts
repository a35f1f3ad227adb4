import vm from "node:vm";

/** Milliseconds. Others than `LIMITS` are for tests. */
export interface Limits {
  /** For one pattern and one value. */
  readonly pattern: number;
  /** For one body, and for compiling its schema: a pattern, or alternatives within alternatives, can take time without end. */
  readonly body: number;
}

export const LIMITS: Limits = { pattern: 200, body: 3000 };

let holder: vm.Context | undefined;
let script: vm.Script | undefined;

/**
 * Calls a function that must not take longer than that, from outside of it: nothing within a regular expression can look at a clock.
 * @returns `undefined` where it took longer, or more of the stack than there is.
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
