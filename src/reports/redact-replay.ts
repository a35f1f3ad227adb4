import type { ReplayResult } from "../model/replay.ts";
import { redactStep, redactText, type Visibility } from "./redact.ts";
import type { Redactor } from "./redaction/redactor.ts";

/** What a replay may show. Its requests stay, without what `report.redact` names: who replays a finding looks at them now, and nothing is written down. */
export function redactReplay(result: ReplayResult, visibility: Visibility, hide: Redactor): ReplayResult {
  const redacted = (): ReplayResult => ({
    ...result,
    steps: result.steps.map((step) => redactStep(step, { ...visibility, includeRequestResponse: true }, hide)),
    violations: result.violations.map((one) => ({ ...one, message: redactText(one.message, visibility, hide) })),
    errors: result.errors.map((one) => ({ ...one, message: redactText(one.message, visibility, hide) })),
  });
  // What is a secret is known when all of it was seen.
  redacted();
  return redacted();
}
