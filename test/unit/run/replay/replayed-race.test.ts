import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { Action, Agent, Invariant, World } from "seqqa";
import { ApiResponse } from "seqqa/adapters/http";
import { MemoryAdapter } from "seqqa/adapters/memory";

type Orders = MemoryAdapter<{ open: number; keys: string[]; paid: number }>;

/** Pays an order once for each idempotency key. `gap`: looks for the order, lets others go first, and pays it. */
const shop = (gap: boolean): Agent<object, Orders> =>
  new Agent<object, Orders>({
    name: "shop",
    world: () => {
      const db = new MemoryAdapter({ state: { open: 0, keys: [] as string[], paid: 0 } });
      return new World<object, Orders>({ api: db, systems: { db } });
    },
    actions: [
      new Action<object, Orders>({ name: "look", run: () => Promise.resolve(ApiResponse.of(200)), changesNothing: true }),
      new Action<object, Orders>({
        name: "order",
        run: async ({ state }) => (state.open < 1 ? ((state.open += 1), ApiResponse.of(201)) : ApiResponse.of(409)),
      }),
      new Action<object, Orders>({
        name: "pay",
        run: async ({ state }, { data }) => {
          const key = `${data.word()} ${data.integer(1, 1e9)}`;
          if (state.keys.includes(key)) return ApiResponse.of(200);
          if (state.open <= state.paid) return ApiResponse.of(409);
          state.keys.push(key);
          if (gap) await turn();
          state.paid += 1;
          return ApiResponse.of(200);
        },
      }),
    ],
    invariants: [new Invariant<object, Orders>({ name: "paid_once", check: ({ api }) => api.state.paid <= api.state.open })],
    maxDepth: 3,
    races: { trials: 4 },
  });

it("a race of calls with different test data is found, and replayed with the same data", async () => {
  const { races } = await shop(true).explore();
  const race = races.find(({ first, second }) => first === "pay" && second === "pay")!;
  expect(race).toMatchObject({ prefix: ["order"], verdict: "invariant", invariant: "paid_once", hits: 4, trials: 4 });
  const draws = race.draws!.map((one) => one.map((action) => ["look", "order", "pay"][action]!));
  expect(draws).toEqual([[], ["order"], ["order", "pay"]]);
  const { first, second, delivery, verdict, invariant } = race;
  const calls = { actions: [first, second], trials: 2, delivery, verdict, invariant };
  expect((await shop(true).replay(race.prefix, { draws, race: calls })).race).toMatchObject({ hits: 2, observed: race.observed });
  expect((await shop(false).replay(race.prefix, { draws, race: calls })).race).toMatchObject({ hits: 0, inconclusive: undefined });
  // With equal data, the second call repeats the first.
  expect((await shop(true).replay(race.prefix, { race: calls })).race).toMatchObject({ hits: 0, inconclusive: undefined });
  expect((await shop(false).explore()).races).toEqual([]);
});
