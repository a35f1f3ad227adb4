import type { WholeReporter } from "../../reports/index.ts";
import type { Shell } from "./shell.ts";

/**
 * Runs work that the user can interrupt. The first signal (such as Ctrl-C) stops the work in an orderly way. The second signal ends the process at
 * once.
 */
export async function interruptible<T>(
  shell: Shell,
  reporter: Pick<WholeReporter, "message">,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stopListening = shell.onInterrupt(() => {
    if (controller.signal.aborted) return shell.exit(130);
    reporter.message("Interrupted. seqqa finishes the current steps and restores the stores. Press Ctrl-C again to end at once.");
    controller.abort();
  });
  try {
    return await work(controller.signal);
  } finally {
    stopListening();
  }
}
