import { expect, it } from "vitest";
import { Action, Agent, Invariant, World, type ExplorationEvent } from "seqqa";
import { ApiResponse } from "seqqa/adapters/http";
import { MemoryAdapter } from "seqqa/adapters/memory";

interface Counter {
  n: number;
}

it("tells of each new violation with the id that the result has, and after how many steps", async () => {
  const events: ExplorationEvent[] = [];
  const to = (name: string, next: (n: number) => number): Action<object, MemoryAdapter<Counter>> =>
    new Action<object, MemoryAdapter<Counter>>({
      name,
      run: async (db) => {
        db.state.n = next(db.state.n);
        return ApiResponse.of(200);
      },
    });
  const agent = new Agent<object, MemoryAdapter<Counter>>({
    name: "counter",
    world: () => {
      const db = new MemoryAdapter<Counter>({ state: { n: 0 } });
      return new World<object, MemoryAdapter<Counter>>({ api: db, systems: { db } });
    },
    actions: [to("more", (n) => Math.min(n + 1, 3)), to("none", () => 0), to("most", () => 3)],
    invariants: [new Invariant<object, MemoryAdapter<Counter>>({ name: "few", check: ({ api }) => api.state.n < 2 })],
  });
  const result = await agent.explore({ onEvent: (event: ExplorationEvent) => void events.push(event) });
  const found = events.flatMap((event) => (event.kind === "violation" ? [[event.id, event.path, event.steps]] : []));
  const idOf = (action: string): string => result.violations.find(({ reproductionPath }) => reproductionPath.at(-1) === action)!.id;
  // From 0: more to 1, none, most to 3, which breaks the rule; then, from 1, more to 2, which does, too.
  expect(found).toEqual([
    [idOf("most"), ["most"], 3],
    [idOf("more"), ["more", "more"], 4],
  ]);
});
