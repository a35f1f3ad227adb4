import vm from "node:vm";

/** Limits in milliseconds. Only tests use others than `LIMITS`. */
export interface Limits {
  /** The limit for one pattern and one value. */
  readonly pattern: number;
  /** The limit for one body, and for compiling its schema: a pattern, or alternatives within alternatives, can take endless time. */
  readonly body: number;
}

export const LIMITS: Limits = { pattern: 200, body: 3000 };

let holder: vm.Context | undefined;
let script: vm.Script | undefined;

/**
 * Calls a function with a time limit that is enforced from outside: nothing within a regular expression can read a clock.
 * @returns `undefined` if the call took longer, or more stack than there is.
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
