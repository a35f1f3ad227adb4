"use strict";
// Loaded into targets whose code coverage is measured. V8 writes its coverage when a process exits, but not when a signal ends the process.
const { isMainThread } = require("node:worker_threads");
if (isMainThread && process.env.NODE_V8_COVERAGE) {
  const { takeCoverage } = require("node:v8");
  const onTerm = () => {
    takeCoverage();
    // With a handler of its own, the target decides what SIGTERM does.
    if (process.listenerCount("SIGTERM") > 1) return;
    process.removeListener("SIGTERM", onTerm);
    process.kill(process.pid, "SIGTERM");
  };
  process.on("SIGTERM", onTerm);
  // seqqa sends this signal instead of SIGKILL: no code of the target may run any more.
  process.on("SIGUSR2", () => {
    takeCoverage();
    process.kill(process.pid, "SIGKILL");
  });
}
