const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Calls `clean` when this process ends normally, by an exception, or by a signal without other handlers. `clean` must be synchronous. After `clean`,
 * this process sends itself the signal again, so that its exit status is the same as without this function.
 * @returns a function that removes the handlers
 */
export function onEveryExit(clean: () => void): () => void {
  const onSignal = (signal: NodeJS.Signals): void => {
    // Do nothing if the signal has another handler, such as the handler of the command line. The other handler ends the process.
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

const ours = new Set<unknown>();
