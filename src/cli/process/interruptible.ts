import type { WholeReporter } from "../../reports/index.ts";
import type { Shell } from "./shell.ts";

/** Runs work that can be interrupted. The first signal aborts the work in an orderly way. The second signal ends the process immediately. */
export async function interruptible<T>(
  shell: Shell,
  reporter: Pick<WholeReporter, "message">,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stopListening = shell.onInterrupt(() => {
    if (controller.signal.aborted) return shell.exit(130);
    reporter.message("Interrupted: finishing what is in progress; interrupt again to end at once.");
    controller.abort();
  });
  try {
    return await work(controller.signal);
  } finally {
    stopListening();
  }
}
