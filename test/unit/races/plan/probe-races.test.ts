import { expect, it } from "vitest";
import type { Expander } from "../../../../src/engine/expander.ts";
import type { RaceAnswer } from "../../../../src/engine/race-messages.ts";
import { probeRaces } from "../../../../src/races/index.ts";
import { runExplorer } from "../../../support/run-explorer.ts";
import { shop } from "./shop.ts";

const NOTHING: RaceAnswer = {
  hit: undefined,
  suspect: false,
  hits: 0,
  trials: 2,
  misses: 0,
  deliveries: {},
  dismissed: undefined,
  failure: undefined,
};

it("counts each pair once, also where probing is interrupted", async () => {
  const { explorer } = await runExplorer(shop());
  for (const asked of [0, 1, 3, 100]) {
    const stop = new AbortController();
    let races = 0;
    if (asked === 0) stop.abort();
    const expander = {
      lanes: 1,
      race: () => {
        if (++races === asked) stop.abort();
        return Promise.resolve(NOTHING);
      },
    } as unknown as Expander;
    const { tally } = await probeRaces(explorer.committer, expander, {
      actions: 3,
      effort: { first: 2, trials: 20, delivery: "auto", seed: 0 },
      copies: 2,
      maxTimeMs: Infinity,
      signal: stop.signal,
      onProgress: () => undefined,
    });
    const { pairs, probed, skipped } = tally.coverage();
    expect(probed).toBe(races);
    expect(skipped["interrupted"] === undefined).toBe(asked === 100);
    expect(probed + Object.values(skipped).reduce((sum, count) => sum + count, 0)).toBe(pairs);
  }
});
