import type { Config } from "../../config/index.ts";
import { CRASHED, INVALID_ANSWER } from "../../messages/lane-messages.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import { Rule } from "../../model/declare/rule.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { RaceReplay } from "../../model/results/replay.ts";

type Definition = Pick<AgentDefinition<never, never>, "actions" | "invariants">;

/**
 * Checks that the exploration still checks the rule of a finding. Otherwise a replay could not break the rule, and the finding would seem to be gone.
 * @throws SeqqaError `NO_SUCH_RULE`
 */
export function requireRules(
  { rule, race }: { readonly rule?: string | undefined; readonly race?: RaceReplay | undefined },
  definition: Definition,
  { exploration: { serverErrors } }: Pick<Config, "exploration">,
): void {
  const isReplaced = definition.invariants.some((one) => one instanceof Rule && one.replaces === "server_errors");
  const isJudged = serverErrors === "violation" && !isReplaced;
  if (rule !== undefined && !isChecked(rule, definition, isJudged)) throw noSuchRule(rule);
  if (race?.verdict === "invariant" && race.invariant !== undefined && !isDeclared(race.invariant, definition))
    throw noSuchRule(race.invariant);
  // For races, the setting alone decides if server errors are findings, even if a rule of the exploration judges server errors of steps.
  if (race?.verdict === "server_error" && serverErrors !== "violation") throw noSuchRule("server_error");
}

/** Returns the error for a rule that the exploration does not check. */
export function noSuchRule(rule: string): SeqqaError {
  return new SeqqaError(
    "NO_SUCH_RULE",
    `The exploration no longer checks the rule ${JSON.stringify(rule)}, so the replay cannot show whether the finding still exists.`,
    { hint: "Add the rule again, or undo the setting that turned the rule off. Or run the exploration again to get current findings." },
  );
}

const isDeclared = (rule: string, { invariants }: Definition): boolean => invariants.some(({ name }) => name === rule);

function isChecked(rule: string, definition: Definition, judgesServerErrors: boolean): boolean {
  if (rule === CRASHED || rule === INVALID_ANSWER || isDeclared(rule, definition)) return true;
  const action = (suffix: string): Definition["actions"][number] | undefined =>
    definition.actions.find(({ name }) => `${name}_${suffix}` === rule);
  if (action("server_error") !== undefined) return judgesServerErrors;
  return (
    action("timeout") !== undefined ||
    definition.invariants.some(({ name }) => `${name}_timeout` === rule) ||
    action("status")?.expectedStatus !== undefined
  );
}
