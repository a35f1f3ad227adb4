import type { Committer } from "../../engine/commit/committer.ts";
import { hasWorked } from "../../engine/commit/inconclusive-log.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import type { ActionCoverage } from "../../model/results/result.ts";
import { works } from "../../reports/console/summary/rules-text.ts";
import { answeredEachTime } from "./waste.ts";

type Coverage = Readonly<Record<string, ActionCoverage>>;

/** Maximum number of actions that a note names. */
const NAMED = 3;

/**
 * Returns a note for each rule that judged nothing because no action of the rule worked. The note says what happened to these actions.
 * @param redirected The actions that {@link onlyRedirected} returns. These actions count as actions that did not work.
 */
export function withoutSubject(
  { subjects }: Pick<AgentDefinition, "subjects">,
  coverage: Coverage,
  redirected: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, string> {
  const worked = (name: string): boolean => isSubject(coverage[name]) && !redirected.has(name);
  const idle = [...subjects].filter(([, names]) => names.length > 0 && !names.some(worked));
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
          .map((name) =>
            redirected.has(name) ? `${name} was only answered with redirects that changed nothing` : fateOf(name, coverage[name]),
          )
          .join(", ")}${more}.`,
      ];
    }),
  );
}

/**
 * Returns the actions whose only answers below 400 were redirects that changed nothing. By such a redirect, to the login or back to the form, pages
 * refuse a form.
 */
export function onlyRedirected({ edges }: Pick<Committer, "edges">, actions: readonly string[]): ReadonlySet<string> {
  const redirected = new Set<number>();
  const worked = new Set<number>();
  for (let index = 0; index < edges.size; index++) {
    const edge = edges.at(index);
    if (edge.status < 400) (hasWorked(edge) ? worked : redirected).add(edge.action);
  }
  return new Set([...redirected].filter((action) => !worked.has(action)).map((action) => actions[action]!));
}

/**
 * Returns `true` if a rule could judge a step of the action. Refused calls count only for actions that a rule added, because the rule expects these
 * calls to be refused.
 */
function isSubject(action: ActionCoverage | undefined): boolean {
  if (action === undefined) return false;
  const answers = Object.entries(action.statuses).filter(([status]) => status !== "0");
  return works({ ...action, statuses: Object.fromEntries(answers), ...(action.brought === true && { mustBeRefused: true }) });
}

function fateOf(name: string, action: ActionCoverage | undefined): string {
  if (action === undefined || action.applied === 0) return `${name} never made a call`;
  return `${name} ${answeredEachTime(action)}`;
}
