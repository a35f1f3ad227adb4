import { describe, expect, it } from "vitest";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import { DataFactory } from "../../../../src/data/index.ts";
import { Drawing } from "../../../../src/lane/bring-up/data-draws.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { Invariant } from "../../../../src/model/declare/invariant.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { full } from "../../../sizes.ts";
import { runExplorer, type RunOptions } from "../../../support/run-explorer.ts";
import { leapsInTime } from "../../../support/leaping-clock.ts";

leapsInTime();

interface Rows {
  n: number;
  readonly emails: string[];
  readonly tag: string[];
}

type Api = MemoryAdapter<Rows>;
type Sent = Set<string>;

/** Counts up to 3, or gets there in two steps by a way that depth first looks at later, and creates up to two users there with drawn addresses; `sent` takes what is drawn by whom. */
function users(sent: Sent, backwards = false): AgentDefinition<Record<string, unknown>, Api> {
  const action = (name: string, run: (rows: Rows, draw: () => string) => boolean): Action<Record<string, unknown>, Api> =>
    new Action<Record<string, unknown>, Api>({
      name,
      precondition: (context) => context.data.integer(0, 9) >= 0,
      run: async (api, context) => {
        const draw = (): string => {
          const { email } = context.data.user();
          sent.add(`${name} ${email}`);
          return email;
        };
        return run(api.state, draw) ? ApiResponse.of(200) : null;
      },
    });
  const ordered = <T>(list: T[]): T[] => (backwards ? list.toReversed() : list);
  return new AgentDefinition<Record<string, unknown>, Api>({
    world: () => {
      const db = new MemoryAdapter<Rows>({ state: { n: 0, emails: [], tag: [] } });
      return new World<Record<string, unknown>, Api>({ api: db, systems: { db } });
    },
    setup: (world) => {
      world.api.state.tag.push(world.context.data.email());
      sent.add(`setup ${world.api.state.tag[0]!}`);
    },
    actions: ordered([
      action("up", (rows) => rows.n < 3 && ++rows.n > 0),
      action("aside", (rows) => rows.n === 0 && (rows.n = 10) > 0),
      action("jump", (rows) => rows.n === 10 && (rows.n = 3) > 0),
      action("create", (rows, draw) => rows.n === 3 && rows.emails.length < 2 && rows.emails.push(draw()) > 0),
      action("touch", (rows, draw) => rows.emails.length === 1 && (rows.tag[0] = draw()) !== ""),
    ]),
    invariants: [
      new Invariant<Record<string, unknown>, Api>({
        name: "drawn",
        check: ({ context, api }) => {
          sent.add(`check ${api.state.n} ${api.state.emails.join()} ${api.state.tag.join()} ${context.data.word()}`);
          return true;
        },
      }),
    ],
  });
}

async function run({ backwards = false, ...options }: RunOptions & { readonly backwards?: boolean }): Promise<{
  readonly sent: readonly string[];
  readonly digest: string;
  readonly size: number;
}> {
  const sent: Sent = new Set();
  const { explorer } = await runExplorer(users(sent, backwards), { crossCheck: { first: 50, oneIn: 1 }, ...options });
  expect(explorer.divergences.all).toEqual([]);
  expect([...explorer.committer.findings.errors.values()]).toEqual([]);
  return { sent: [...sent].toSorted(), digest: explorer.committer.digest.value(), size: explorer.committer.visited.size };
}

const STRATEGIES = ["bfs", "dfs", "random", "coverage_guided"] as const;

describe("context.data in an exploration", () => {
  it.each(STRATEGIES)("%s: one answer for every number of lanes, written or replayed, with lanes lost on the way", async (strategy) => {
    for (const maxDepth of full ? [5, 7, Infinity] : [7]) {
      const maxSteps = 150;
      const one = await run({ strategy, maxDepth, maxSteps });
      expect(one.size).toBeGreaterThan(8);
      for (const lanes of [2, 3]) {
        // In the quick suite two lanes write to their stores, and three replay.
        for (const direct of full ? [true, false] : [lanes === 2]) {
          const other = await run({ strategy, maxDepth, maxSteps, lanes, direct, delays: true, losses: 0.1, noise: lanes });
          expect([other.digest, other.size]).toEqual([one.digest, one.size]);
        }
      }
    }
  });

  it.each([true, false])(
    "a state that is given a shorter way keeps what was drawn for it on the first one (order reversed: %s)",
    async (backwards) => {
      for (const strategy of STRATEGIES) {
        for (const maxDepth of full ? [4, 5, 6] : [5]) {
          const one = await run({ strategy, maxDepth, backwards });
          const other = await run({ strategy, maxDepth, backwards, lanes: 2, direct: false, delays: true });
          expect([other.digest, other.size]).toEqual([one.digest, one.size]);
        }
      }
    },
  );

  it("the same bytes are sent whatever the number of lanes and the ways to nodes", async () => {
    const one = await run({ maxDepth: 6 });
    expect(one.sent.filter((line) => line.startsWith("create")).length).toBeGreaterThan(2);
    for (const [lanes, direct] of [
      [1, false],
      [2, true],
      [3, false],
    ] as const) {
      const { sent } = await run({ maxDepth: 6, lanes, direct, delays: true });
      // Lanes execute ahead of a bound as well; nothing that they send is drawn otherwise.
      expect(sent.filter((line) => line.startsWith("setup"))).toEqual(one.sent.filter((line) => line.startsWith("setup")));
      expect(sent).toEqual(one.sent);
    }
  });

  it("the agent's seed gives other data", async () => {
    const sent = async (seed: number): Promise<readonly string[]> => {
      const drawn: Sent = new Set();
      const { explorer } = await runExplorer(users(drawn), { maxDepth: 4, dataSeed: seed });
      expect(explorer.stopReason).toBe("max_depth");
      return [...drawn].toSorted();
    };
    expect(await sent(1)).toEqual(await sent(1));
    expect(await sent(1)).not.toEqual(await sent(2));
  });
});

describe("Drawing", () => {
  const made: string[] = [];
  const drawing = new Drawing(["a", "b"], 5, (seed) => {
    made.push(seed);
    return new DataFactory({ seed });
  });

  it("is seeded by agent's seed, path and who draws; made when it is needed, once for a step", () => {
    drawing.at([0, 1, 0], 2, 1);
    expect(made).toEqual([]);
    expect(drawing.source()).toBe(drawing.source());
    drawing.by("stock");
    drawing.source();
    drawing.by("");
    drawing.source();
    drawing.at([0, 1, 0], 2, 1, [[], [1], [1, 1]]);
    drawing.source();
    drawing.root("setup");
    drawing.source();
    expect(made.splice(0)).toEqual([
      '[5,["a","b","b"],""]',
      '[5,["a","b","b"],"stock"]',
      '[5,["a","b","b"],""]',
      '[5,["b","b","b"],""]',
      '[5,[],"setup"]',
    ]);
  });

  it("different paths give different data, one path the same", () => {
    const email = (...path: number[]): string => {
      drawing.at(path, path.length, 0);
      return drawing.source().email();
    };
    const all = [email(), email(0), email(1), email(0, 1), email(1, 0)];
    expect(new Set(all).size).toBe(all.length);
    expect(email(0, 1)).toBe(all[3]);
  });
});
