import childProcess from "node:child_process";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import workerThreads from "node:worker_threads";

/**
 * The functions that start processes. A unit test that calls one of them, or starts a thread, fails: it belongs to the project `process`, `stores` or
 * `e2e`.
 */
const STARTERS = ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"] as const;

function refused(what: string): Error {
  return new Error(`${what} in test/unit, which holds only pure tests. Move the file to test/process, test/stores or test/e2e.`);
}

const processes = childProcess as unknown as Record<string, unknown>;
for (const name of STARTERS) {
  processes[name] = () => {
    throw refused(`child_process.${name}()`);
  };
}
(workerThreads as unknown as Record<string, unknown>)["Worker"] = function Worker() {
  throw refused("new Worker()");
};

/** The least cost N that makes a guess of a hashed value slow enough. */
const SLOW = 4096;
type Scrypt = typeof crypto.scryptSync;
// A set-up file is evaluated for each test file, so the function may be replaced already.
const { real = crypto.scryptSync } = crypto.scryptSync as Scrypt & { readonly real?: Scrypt };
/**
 * The slow hashes of all tests took four seconds of processor time. Nothing else depends on their cost, so it is small here, but the code has to ask
 * for a large one.
 */
const cheap: Scrypt = (password, salt, length, options) => {
  const { N: cost = SLOW } = options ?? {};
  if (cost < SLOW) throw new Error(`scryptSync() with the cost ${cost}, which makes it fast to guess values; ${SLOW} is the least.`);
  return real(password, salt, length, { ...options, N: 2 });
};
crypto.scryptSync = Object.assign(cheap, { real });
syncBuiltinESMExports();
