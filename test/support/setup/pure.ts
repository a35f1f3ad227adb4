import childProcess from "node:child_process";
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
syncBuiltinESMExports();
