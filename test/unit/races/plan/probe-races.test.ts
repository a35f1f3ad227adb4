import { expect, it } from "vitest";
import type { Expander } from "../../../../src/engine/expander.ts";
import { probeRaces, RacesEnd } from "../../../../src/races/index.ts";
import { runExplorer } from "../../../support/run-explorer.ts";
import { NOTHING } from "./answers.ts";
import { shop } from "./shop.ts";

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
      ownActions: 3,
      effort: { first: 2, trials: 20, delivery: "auto", seed: 0 },
      copies: 2,
      end: new RacesEnd(Infinity, stop.signal),
      onProgress: () => undefined,
    });
    const { pairs, probed, skipped } = tally.coverage();
    expect(probed).toBe(races);
    expect(skipped["interrupted"] === undefined).toBe(asked === 100);
    expect(probed + Object.values(skipped).reduce((sum, count) => sum + count, 0)).toBe(pairs);
  }
});
