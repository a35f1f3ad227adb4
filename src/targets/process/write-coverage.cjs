"use strict";
// This file is loaded into targets whose code coverage is measured. V8 writes its coverage when a process exits, but not when a signal ends the
// process.
const { isMainThread } = require("node:worker_threads");
if (isMainThread && process.env.NODE_V8_COVERAGE) {
  const { takeCoverage } = require("node:v8");
  const onTerm = () => {
    takeCoverage();
    // Remove this listener, because some packages end the process only if there is no other listener.
    process.removeListener("SIGTERM", onTerm);
    // If the target has its own handler, the handler decides what SIGTERM does.
    if (process.listenerCount("SIGTERM") === 0) process.kill(process.pid, "SIGTERM");
  };
  process.prependListener("SIGTERM", onTerm);
  // seqqa sends this signal instead of SIGKILL.
  process.on("SIGUSR2", () => {
    takeCoverage();
    process.kill(process.pid, "SIGKILL");
  });
}
