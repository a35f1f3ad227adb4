import type { AnswerOfStep, StateOfRun, StatesOfRun, StepOfRun } from "../../src/run-log/index.ts";

export type Cell = number | string | boolean | null;
export type Tables = Readonly<Record<string, readonly Readonly<Record<string, Cell>>[]>>;
/** Returns the tables afterwards; `undefined`: the call is refused with 409. */
export type ModelAction = (tables: Tables) => Tables | undefined;

interface ExploreOptions {
  readonly most?: number;
  readonly rules?: readonly string[];
  readonly isFinding?: (tables: Tables) => boolean;
  readonly roleOf?: (action: string) => string | undefined;
  /** Returns the answer of a step, with the tables after it; `undefined` if the call is refused. */
  readonly answerOf?: (action: string, before: Tables, after: Tables | undefined) => AnswerOfStep;
  /** Returns the lines of a state with context keys. */
  readonly contextOf?: (tables: Tables) => readonly string[];
}

/** Explores a model of an API to a number of states, and returns what a run log would have of it. */
export function explore(
  root: Tables,
  actions: Readonly<Record<string, ModelAction>>,
  { most = 200, rules = [], isFinding = () => false, roleOf = () => undefined, answerOf, contextOf = () => [] }: ExploreOptions = {},
): StatesOfRun {
  const names = Object.keys(actions);
  const seen = new Map([[JSON.stringify(root), 0]]);
  const found: Tables[] = [root];
  const states: StateOfRun[] = [{ id: "00000000", parent: -1, action: -1, lines: [] }];
  const steps: StepOfRun[] = [];
  for (let from = 0; from < found.length; from++) {
    names.forEach((name, action) => {
      const after = actions[name]!(found[from]!);
      const answers = answerOf === undefined ? undefined : [answerOf(name, found[from]!, after)];
      const status = answers?.[0]!.status ?? (after === undefined ? 409 : 200);
      if (after === undefined) return void steps.push({ from, to: from, action, status, isFinding: false, answers });
      const key = JSON.stringify(after);
      let to = seen.get(key);
      if (to === undefined) {
        if (found.length >= most) return;
        to = found.push(after) - 1;
        seen.set(key, to);
        states.push({ id: to.toString(16).padStart(8, "0"), parent: from, action, lines: [...linesOf(root, after), ...contextOf(after)] });
      }
      steps.push({ from, to, action, status, isFinding: isFinding(after), answers });
    });
  }
  return {
    name: "model",
    file: "qa/model.explore.ts",
    isWhole: found.length < most,
    actions: names,
    roles: names.map(roleOf),
    rules,
    references: [],
    root: linesOf({}, root),
    states,
    steps,
  };
}

/** Writes what differs between two worlds as the lines of a state do. */
export function linesOf(before: Tables, after: Tables): readonly string[] {
  const lines = (sign: string, rows: Tables, others: Tables): readonly string[] =>
    Object.entries(rows).flatMap(([table, all]) => {
      const left = (others[table] ?? []).map(rowText);
      return all.map(rowText).flatMap((text) => {
        const at = left.indexOf(text);
        if (at >= 0) left.splice(at, 1);
        return at >= 0 ? [] : [`systems.db.${name(table)} ${sign} ${text}`];
      });
    });
  return [...lines("-", before, after), ...lines("+", after, before), "context.n = 1"].toSorted();
}

const name = (text: string): string => (/^[\w$-]+$/.test(text) ? text : JSON.stringify(text));
const rowText = (row: Readonly<Record<string, Cell>>): string =>
  `{${Object.entries(row)
    .map(([column, value]) => `${name(column)}: ${isGenerated(value) ? value : JSON.stringify(value)}`)
    .join(", ")}}`;
/** The placeholder of a generated id or of a time, as state lines show it: `#1`, `<now>`. */
const isGenerated = (value: Cell): value is string => typeof value === "string" && /^(?:#\d+|<now>)$/.test(value);
