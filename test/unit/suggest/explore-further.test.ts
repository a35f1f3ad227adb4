import { expect, it } from "vitest";
import type { StatesOfRun } from "../../../src/run-log/index.ts";
import { exploreFurther, furtherLines, suggest, type FurtherLane } from "../../../src/suggest/index.ts";
import { explore, linesOf, type ModelAction, type Tables } from "../../support/explored-model.ts";

const ROOT: Tables = { stock: [{ id: 1, available: 12, sold: 0 }], notes: [{ id: 1, number: 0 }] };
type Stock = { available: number; sold: number };
const change =
  (by: (stock: Stock) => Partial<Stock> | undefined): ModelAction =>
  (tables) => {
    const [row] = tables["stock"] as unknown as readonly [Stock & { id: number }];
    const changed = by(row);
    return changed === undefined ? undefined : { ...tables, stock: [{ ...row, ...changed }] };
  };

/** A shop that sells a lamp too many: `available` reaches -1. */
const actions: Readonly<Record<string, ModelAction>> = {
  note: (tables) => ({ ...tables, notes: [{ id: 1, number: (Number(tables["notes"]![0]!["number"]) + 1) % 40 }] }),
  sell: change(({ available, sold }) => (available < 0 ? undefined : { available: available - 1, sold: sold + 1 })),
};

/** Plays a lane. States have the ids that the run gave them, and new states have ids of their own. */
function laneOf(run: StatesOfRun): { readonly lane: FurtherLane; readonly executed: string[] } {
  const ids = new Map(run.states.map(({ lines, id }, node) => [JSON.stringify(node === 0 ? linesOf(ROOT, ROOT) : lines), id]));
  const executed: string[] = [];
  let [tables, path]: [Tables, readonly string[]] = [ROOT, []];
  const place = (): Awaited<ReturnType<FurtherLane["place"]>> => {
    const lines = linesOf(ROOT, tables);
    const key = JSON.stringify(lines);
    if (!ids.has(key)) ids.set(key, `new ${ids.size}`);
    return { id: ids.get(key)!, lines, applicable: Object.keys(actions) };
  };
  const lane: FurtherLane = {
    goTo: async (to) => {
      [tables, path] = [to.reduce((all, name) => actions[name]!(all) ?? all, ROOT), to];
      return Promise.resolve(place());
    },
    place: async () => Promise.resolve(place()),
    step: async (action) => {
      executed.push([...path, action].join(" "));
      const after = actions[action]!(tables);
      tables = after ?? tables;
      return Promise.resolve({ isExecuted: true, status: after === undefined ? 409 : 200, isFinding: false, answers: [] });
    },
  };
  return { lane, executed };
}

it("refutes a rule near the state that came nearest to breaking it, with the same steps each time", async () => {
  const run = explore(ROOT, actions, { most: 60 });
  const code = 'neverNegative("stock.available")';
  expect(suggest(run).held.map((one) => one.code)).toContain(code);
  const { lane, executed } = laneOf(run);
  const found = await exploreFurther(run, lane, () => false);
  expect(found.refuted.map((one) => one.code)).toContain(code);
  expect(found.steps).toBe(executed.length);
  expect(found.states).toBe(found.of.states.length - run.states.length);
  expect(suggest(found.of).held.map((one) => one.code)).not.toContain(code);
  expect(furtherLines(found).join("\n")).toMatch(
    /^model: explored \d+ more steps and \d+ more states, which refuted \d+ rules?\n(?:.*\n)* +x +neverNegative\("stock\.available"\)\n +broken +stock\.available is -1 \(state [^:]+: .*sell\)/,
  );
  const again = laneOf(run);
  await exploreFurther(run, again.lane, () => false);
  expect(again.executed).toEqual(executed);
});

it("tries nothing twice, and nothing after an exploration that is complete", async () => {
  const run = explore(ROOT, actions, { most: 1000 });
  expect(run.isWhole).toBe(true);
  const { lane, executed } = laneOf(run);
  expect(await exploreFurther(run, lane, () => false)).toMatchObject({ steps: 0, states: 0, refuted: [] });
  expect(executed).toEqual([]);
});

it("visits a state only once if all its other actions do not apply", async () => {
  const run = explore(ROOT, actions, { most: 20 });
  const never = ["never", "never again", "not at all"];
  const { lane } = laneOf(run);
  let visits = 0;
  const counted: FurtherLane = { ...lane, goTo: async (path) => (visits++, lane.goTo(path)) };
  const wider = { ...run, actions: [...run.actions, ...never], roles: [...run.roles, ...never.map(() => undefined)] };
  const { steps } = await exploreFurther(wider, counted, () => visits >= 100);
  expect(steps).toBeGreaterThan(0);
  expect(visits).toBeLessThanOrEqual(steps + run.states.length);
});

it("ends when the time is up", async () => {
  const run = explore(ROOT, actions, { most: 60 });
  const { lane, executed } = laneOf(run);
  expect(await exploreFurther(run, lane, () => executed.length >= 3)).toMatchObject({ steps: 3 });
});

it("leaves out a state whose path leads to another state than in the run", async () => {
  const run = explore(ROOT, actions, { most: 60 });
  const { lane, executed } = laneOf(run);
  const moved: FurtherLane = { ...lane, goTo: async (path) => ({ ...(await lane.goTo(path)), id: "other" }) };
  expect(await exploreFurther(run, moved, () => false)).toMatchObject({ steps: 0, states: 0 });
  expect(executed).toEqual([]);
});
