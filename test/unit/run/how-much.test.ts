import { expect, it } from "vitest";
import { ApiResponse } from "../../../src/adapters/http/index.ts";
import { MemoryAdapter } from "../../../src/adapters/memory/index.ts";
import { Action, Agent, World } from "../../../src/index.ts";

type Store = MemoryAdapter<{ values: number[] }>;

const agent = (maxDepth: number, next: (value: number) => number): Agent<object, Store> =>
  new Agent<object, Store>({
    name: "three",
    maxDepth,
    world: () => {
      const store = new MemoryAdapter({ state: { values: [0, 0, 0] } });
      return new World<object, Store>({ api: store, systems: { store } });
    },
    actions: [0, 1, 2].map(
      (one) =>
        new Action<object, Store>({
          name: `action_${one}`,
          run: async (store) => {
            store.state.values[one] = next(store.state.values[one]!);
            return ApiResponse.of(200);
          },
        }),
    ),
    invariants: [],
  });

// The table of docs/guides/how-much.md.
it.each([
  [3, 27, 20, 30, 8, 21],
  [5, 243, 56, 105, 8, 24],
  [10, 59_049, 286, 660, 8, 24],
])("three actions to depth %i: %i sequences", async (depth, sequences, created, createdSteps, switched, switchedSteps) => {
  expect(3 ** depth).toBe(sequences);
  const creating = await agent(depth, (value) => value + 1).explore();
  expect([creating.statesVisited, creating.transitions]).toEqual([created, createdSteps]);
  const switching = await agent(depth, (value) => 1 - value).explore();
  expect([switching.statesVisited, switching.transitions]).toEqual([switched, switchedSteps]);
});
