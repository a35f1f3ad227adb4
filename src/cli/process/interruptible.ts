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
  let isAsked = false;
  const stopListening = shell.onInterrupt((why) => {
    if (isAsked && why === undefined) return shell.exit(130);
    isAsked ||= why === undefined;
    reporter.message(why ?? "Interrupted. seqqa finishes the current steps and restores the stores. Press Ctrl-C again to end at once.");
    controller.abort();
  });
  try {
    return await work(controller.signal);
  } finally {
    stopListening();
  }
}
