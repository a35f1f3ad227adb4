import { describe, expect, it } from "vitest";
import { Walk } from "../../../../src/lane/navigate/walk.ts";
import { laneCase, type CaseLane, type LaneCase } from "../../../support/lane-case.ts";

type Skips = readonly [how: string, action: LaneCase["actions"][number]];

const send: LaneCase["actions"][number]["run"] = (_hands, api) => api.send();

const walked = async ({ lane }: CaseLane, path: readonly number[]): Promise<readonly (readonly [kind: string, requests: number])[]> =>
  lane.runtime.lend(async (ground) => {
    const walk = new Walk(ground);
    const steps: (readonly [string, number])[] = [];
    for (const index of path) {
      const { kind, requests } = await walk.step(index);
      steps.push([kind, requests.length]);
    }
    return steps;
  });

describe("the requests of a step", () => {
  it.each<Skips>([
    ["a precondition that does not hold", { precondition: () => false, run: send }],
    ["null", { run: () => null }],
  ])("are none after %s, also after a step with a request", async (_how, skips) => {
    const lane = await laneCase({ actions: [{ run: send }, skips] });
    expect(await walked(lane, [0, 1])).toEqual([
      ["executed", 1],
      ["skipped", 0],
    ]);
  });

  it("are none in a step whose precondition throws", async () => {
    const precondition = (): never => {
      throw new Error("no");
    };
    const lane = await laneCase({ actions: [{ run: send }, { precondition, run: send }] });
    expect(await walked(lane, [0, 1])).toEqual([
      ["executed", 1],
      ["failed", 0],
    ]);
    const { expansion } = await lane.expand();
    expect(expansion.stepEvents.map(({ exchanges }) => exchanges)).toEqual([[]]);
  });
});
