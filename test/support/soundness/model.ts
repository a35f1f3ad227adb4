import type { Spec } from "./spec.ts";

interface Item {
  name: number;
  status: string;
  steps: number;
  /** The name of the item that this item's note mentions. */
  after: number | undefined;
  lock: "none" | "held" | "over";
  word: string;
}

interface State {
  items: Item[];
  context: number | undefined;
}

/** The result that the model of a target predicts. */
export interface Expected {
  readonly states: number;
  /** A shortest path of calls that leads to the defect; `undefined` if no path does. */
  readonly path: readonly string[] | undefined;
}

/** Returns the actions of a target's agent, in the agent's order. */
export function actionsOf({ verbs, chooses }: Pick<Spec, "verbs" | "chooses">): readonly string[] {
  const own = verbs.flatMap((verb) => (verb === "secret" ? ["secret_a", "secret_b"] : [verb]));
  return ["create", ...(chooses ? ["choose"] : []), ...own];
}

/** Explores the model of a target, breadth first. Items are named by their rank, because random names carry no further information. */
export function modelOf(spec: Spec): Expected {
  const root: State = { items: [], context: undefined };
  const seen = new Set([textOf(root)]);
  let frontier: (readonly [State, readonly string[]])[] = [[root, []]];
  let found: readonly string[] | undefined;
  while (frontier.length > 0) {
    const next: typeof frontier = [];
    for (const [state, path] of frontier) {
      for (const action of actionsOf(spec)) {
        const copy = structuredClone(state);
        const isBad = act(spec, copy, action);
        if (isBad) {
          found ??= [...path, action];
          continue;
        }
        const text = textOf(copy);
        if (seen.has(text)) continue;
        seen.add(text);
        next.push([copy, [...path, action]]);
      }
    }
    frontier = next;
  }
  return { states: seen.size, path: found };
}

/** Executes an action in the model. Returns `true` if it shows the defect. */
function act(spec: Spec, state: State, action: string): boolean {
  const { items } = state;
  if (action === "create") {
    if (items.length >= spec.items) return false;
    const isCounted = spec.ids === "slug" || spec.ids === "data";
    const name = isCounted
      ? items.length + 1
      : Math.max(0, state.context ?? 0, ...items.flatMap(({ name: one, after }) => [one, after ?? 0])) + 1;
    const after = spec.family === "reference" ? items.at(-1)?.name : undefined;
    items.push({ name, status: "new", steps: 0, after, lock: "none", word: "" });
    state.context = name;
    return false;
  }
  if (action === "choose") {
    if (items.length > 0) state.context = items[0]!.name;
    return false;
  }
  const item = items.find(({ name }) => name === state.context);
  if (item === undefined) return false;
  const others = items.filter((one) => one !== item);
  switch (action) {
    case "pay": {
      if (item.status !== "new") return false;
      item.status = "paid";
      return spec.family === "second" && others.some(({ status }) => status === "paid");
    }
    case "cancel":
      if (item.status === "new") item.status = "cancelled";
      return false;
    case "advance":
      if (item.steps >= 4) return false;
      item.steps++;
      return (spec.family === "third" || spec.family === "memory") && item.steps >= 3;
    case "settle": {
      const first = items[0]!;
      if (first.status === "settled") return false;
      const isBad = spec.family === "order" && first.status === "new" && items.slice(1).some(({ status }) => status === "paid");
      first.status = "settled";
      return isBad;
    }
    case "lock":
      if (item.lock !== "held") item.lock = "held";
      return false;
    case "release":
      if (item.lock !== "none") item.lock = "over";
      return false;
    case "publish": {
      if (item.status === "out" || item.lock === "held") return false;
      item.status = "out";
      return spec.family === "lease" && item.lock === "over";
    }
    case "follow": {
      const named = items.find(({ name }) => name === item.after);
      if (named === undefined || named.status === "followed") return false;
      const isBad = spec.family === "reference" && named.status === "paid";
      named.status = "followed";
      return isBad;
    }
    case "secret_a":
    case "secret_b":
      item.word = action;
      return spec.family === "secret" && others.some(({ word }) => word === item.word);
    case "slow":
      if (item.steps !== 0) return false;
      item.steps = 1;
      if (spec.late.when === "paid" && item.status !== "paid") return false;
      item.status = "late";
      return spec.family === "late";
    case "remove":
      items.splice(items.indexOf(item), 1);
      return false;
    default:
      throw new Error(`The model knows no action ${action}.`);
  }
}

function textOf({ items, context }: State): string {
  const names = [...new Set([...items.flatMap(({ name, after }) => [name, after]), context])]
    .filter((name) => name !== undefined)
    .toSorted((a, b) => a - b);
  const rank = (name: number | undefined): number => (name === undefined ? -1 : names.indexOf(name));
  return JSON.stringify([items.map((item) => ({ ...item, name: rank(item.name), after: rank(item.after) })), rank(context)]);
}
