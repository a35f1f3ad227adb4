import { sawEveryCall, type ExplorationEntry, type GraphReader } from "../../reports/index.ts";
import type { Change } from "../run-diff.ts";
import { compareGraphs, type Outcome, type OutcomeChange } from "./compare-graphs.ts";

export interface Side {
  readonly entry: ExplorationEntry;
  /** The state graph. `undefined` if the graph was too large for the document to list its nodes and edges. */
  readonly graph: GraphReader | undefined;
}

export function compareActions(before: Side, after: Side): readonly Change[] {
  const [old, now] = [namesOf(before), namesOf(after)];
  const both = now.filter((name) => old.includes(name));
  const outcomes = before.graph && after.graph ? compareGraphs(before.graph, after.graph, both) : [];
  return [
    ...now.filter((name) => !old.includes(name)).map((name) => cameOrWent("added", name, after)),
    ...old.filter((name) => !now.includes(name)).map((name) => cameOrWent("removed", name, before)),
    ...outcomes.map(outcomeChange),
    ...both.flatMap((name) => elsewhere(name, before, after, outcomes)),
  ];
}

/** Returns the names of the user's actions. Actions that a rule adds are left out, because such actions change with the rule. */
const namesOf = ({ entry }: Side): readonly string[] =>
  Object.entries(entry.coverage.actions).flatMap(([name, { brought }]) => (brought === true ? [] : [name]));

function cameOrWent(kind: "added" | "removed", subject: string, { entry, graph }: Side): Change {
  const statuses = statusesOf(entry, subject);
  const verb = kind === "added" ? "answers" : "answered";
  const text = statuses.length === 0 ? "was never called" : `${verb} ${statuses.map(statusText).join(", ")}`;
  return { about: "action", kind, subject, text: `${kind}, ${text}`, path: graph?.pathTo(subject) };
}

function outcomeChange({ action, before, after, states, path }: OutcomeChange): Change {
  const text = outcomeText(before, after, states === 1 ? "" : ` in ${states} states`);
  return { about: "answer", kind: "changed", subject: action, text, path };
}

function outcomeText(before: Outcome, after: Outcome, where: string): string {
  if (before === null || after === null) {
    const made = statusText((before ?? after!).status);
    return before === null ? `can now be called${where}, and answers ${made}` : `can no longer be called${where}; it answered ${made}`;
  }
  const effects = `it ${EFFECTS[after.effect]}, and ${PAST[before.effect]} before`;
  if (before.status === after.status) return `answers ${statusText(after.status)} as before${where}, but ${effects}`;
  const answers = `answers ${statusText(after.status)} instead of ${statusText(before.status)}${where}`;
  return before.effect === after.effect ? answers : `${answers}; ${effects}`;
}

const EFFECTS = { changes: "changes the state", keeps: "changes nothing", lost: "leads to no state" } as const;
const PAST = { changes: "changed the state", keeps: "changed nothing", lost: "led to no state" } as const;

/**
 * Returns the HTTP statuses that an action has in only one of the two runs, unless `outcomes` already reports them. A status counts as missing from a
 * run only if that run executed every call.
 */
function elsewhere(subject: string, before: Side, after: Side, outcomes: readonly OutcomeChange[]): readonly Change[] {
  const told = outcomes.filter(({ action }) => action === subject);
  const [old, now] = [statusesOf(before.entry, subject), statusesOf(after.entry, subject)];
  const change = (text: string, path: Change["path"]): Change => ({ about: "answer", kind: "changed", subject, text, path });
  const came = sawEveryCall(before.entry) ? now.filter((one) => !old.includes(one) && !told.some((of) => of.after?.status === one)) : [];
  const went = sawEveryCall(after.entry) ? old.filter((one) => !now.includes(one) && !told.some((of) => of.before?.status === one)) : [];
  return [
    ...came.map((status) => change(`also answers ${statusText(status)}`, after.graph?.pathTo(subject, status))),
    ...went.map((status) => change(`no longer answers ${statusText(status)} anywhere`, before.graph?.pathTo(subject, status))),
  ];
}

const statusesOf = ({ coverage }: ExplorationEntry, action: string): readonly number[] =>
  Object.keys(coverage.actions[action]?.statuses ?? {}).map(Number);

const statusText = (status: number): string => (status === 0 ? "nothing (no response)" : String(status));
