import type { ReplayedRace, ReplayResult } from "../../model/results/replay.ts";
import type { WalkedStep, WalkJudged, WalkPlace } from "../../model/results/walked.ts";
import { redactExchange, redactOutcome, redactState, redactStep, redactText, type Visibility } from "./redact.ts";
import type { Redactor } from "./redactor.ts";

/**
 * Returns a redacted copy of a replay. Requests are kept even if `includeRequestResponse` is `false`, because requests of a replay are not stored,
 * and only the person who replays the finding sees them. The values of the fields in `report.redact` are hidden.
 */
export function redactReplay(result: ReplayResult, visibility: Visibility, hide: Redactor): ReplayResult {
  const redacted = (): ReplayResult => ({
    ...result,
    steps: result.steps.map((step) => redactStep(step, { ...visibility, includeRequestResponse: true }, hide)),
    violations: result.violations.map((one) => ({ ...one, message: redactText(one.message, visibility, hide) })),
    errors: result.errors.map((one) => ({ ...one, message: redactText(one.message, visibility, hide) })),
    race: result.race === undefined ? undefined : redactCalls(result.race, visibility, hide),
  });
  // Redact twice: the first pass finds the secrets, the second pass hides all occurrences of them.
  redacted();
  return redacted();
}

function redactCalls({ message, observed, inconclusive, ...race }: ReplayedRace, visibility: Visibility, hide: Redactor): ReplayedRace {
  const text = (value: string | undefined): string | undefined => (value === undefined ? undefined : redactText(value, visibility, hide));
  return {
    ...race,
    message: text(message),
    observed: observed === undefined ? undefined : redactOutcome(observed, { ...visibility, includeRequestResponse: true }, hide),
    inconclusive: text(inconclusive),
  };
}

/** Returns a redacted copy of a step that the user executed by hand. Requests are kept, as in {@link redactReplay}. */
export function redactWalked(step: WalkedStep, visibility: Visibility, hide: Redactor): WalkedStep {
  const redacted = (): WalkedStep => ({
    ...step,
    message: redactText(step.message, visibility, hide),
    requests: step.requests.map((one) => redactExchange(one, hide)),
    changes: redactState(step.changes, hide),
    ...redactJudged(step, visibility, hide),
  });
  redacted();
  return redacted();
}

export function redactJudged({ held, broken, errors }: WalkJudged, visibility: Visibility, hide: Redactor): WalkJudged {
  return {
    held,
    broken: broken.map((one) => ({ ...one, message: redactText(one.message, visibility, hide) })),
    errors: errors.map((one) => ({ ...one, message: redactText(one.message, visibility, hide) })),
  };
}

export function redactPlace(place: WalkPlace, hide: Redactor): WalkPlace {
  return { ...place, lines: redactState(place.lines, hide), changes: redactState(place.changes, hide) };
}
