import { CRASHED, type FindingNews } from "../engine/messages.ts";
import { Severity } from "../model/severity.ts";
import type { Outcome } from "./outcome.ts";

/** The finding of a step that got no answer, and none again from a clean start. */
export function brokenFinding(action: string, outcome: Outcome): FindingNews {
  return outcome.lost === "timeout"
    ? { invariant: `${action}_timeout`, severity: Severity.HIGH, message: `${action} got no answer in time, and again from a clean start` }
    : {
        invariant: CRASHED,
        severity: Severity.CRITICAL,
        message: `The target stopped answering during ${action}, and again from a clean start`,
      };
}
