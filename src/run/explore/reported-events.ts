import type { JournalEvent } from "../../engine/commit/commit-journal.ts";
import type { ShownUrls } from "../prepare/shown-urls.ts";

/**
 * Prepares the step events of a row for reports: URLs as users know them, and stacks in the user's own lines, since the bundle is deleted after the
 * run.
 */
export function reportedEvents(
  { findings, errors, unjudged }: JournalEvent,
  urls: ShownUrls,
  { mapStack, whereOf }: { readonly mapStack: (stack: string) => string; readonly whereOf: (stack: string) => string | undefined },
): JournalEvent {
  return {
    findings,
    ...(unjudged !== undefined && { unjudged }),
    errors: errors.map((error) => ({
      ...error,
      message: urls.text(error.message),
      where: error.where ?? (error.stack === undefined ? undefined : whereOf(error.stack)),
      stack: error.stack === undefined ? undefined : mapStack(error.stack),
    })),
  };
}
