const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs `clean`, which must be synchronous, however this process ends: normally, by an exception, or by a signal that nobody else handles. The signal
 * is then raised again, so that the exit status stays the same. Returns a function that removes the hooks.
 */
export function onEveryExit(clean: () => void): () => void {
  const onSignal = (signal: NodeJS.Signals): void => {
    // Another handler, such as the command line's, decides what to do on a signal. It ends with `close()` or `exit`.
    if (process.listeners(signal).some((listener) => !ours.has(listener))) return;
    clean();
    remove();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const remove = (): void => {
    process.off("exit", clean);
    for (const signal of SIGNALS) process.off(signal, onSignal);
    ours.delete(onSignal);
  };
  ours.add(onSignal);
  process.on("exit", clean);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return remove;
}

/** The handlers of all hosts of this process. */
const ours = new Set<unknown>();
