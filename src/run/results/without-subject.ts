import type { AgentDefinition } from "../../model/declare/agent.ts";
import type { ActionCoverage } from "../../model/results/result.ts";
import { answeredEachTime } from "./waste.ts";

type Coverage = Readonly<Record<string, ActionCoverage>>;

/** Limit for the number of actions that a note names. */
const NAMED = 3;

/** Returns, for each rule none of whose actions worked, a note that says why the rule judged nothing. */
export function withoutSubject({ subjects }: Pick<AgentDefinition, "subjects">, coverage: Coverage): ReadonlyMap<string, string> {
  const idle = [...subjects].filter(([, names]) => names.length > 0 && !names.some((name) => isSubject(coverage[name])));
  return new Map(
    idle.map(([rule, names]) => {
      const more =
        names.length > NAMED
          ? `, and ${names.length - NAMED} more ${names.length - NAMED === 1 ? "action" : "actions"} did not work either`
          : "";
      return [
        rule,
        `${rule} judged nothing: ${names
          .slice(0, NAMED)
          .map((name) => fateOf(name, coverage[name]))
          .join(", ")}${more}.`,
      ];
    }),
  );
}

/** Returns `true` if a rule could judge a step of the action. A refusal is what rules expect of the actions that they bring. */
function isSubject(action: ActionCoverage | undefined): boolean {
  if (action === undefined) return false;
  return Object.keys(action.statuses)
    .map(Number)
    .some((status) => status > 0 && (status < 400 || action.brought === true));
}

function fateOf(name: string, action: ActionCoverage | undefined): string {
  if (action === undefined || action.applied === 0) return `${name} never made a call`;
  return `${name} ${answeredEachTime(action.applied, action.statuses)}`;
}
