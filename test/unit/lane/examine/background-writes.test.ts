import { describe, expect, it } from "vitest";
import { backgroundWrites } from "../../../../src/lane/examine/background-writes.ts";
import type { LaneBase } from "../../../../src/lane/bring-up/lane-base.ts";
import { NOTHING_KNOWN } from "../../../../src/state/index.ts";

const MS = 120;

/** Watches a store with one value. `valueAt`: the value at a read, by the number of the watch and of the read in it, each from 0. */
async function watched(valueAt: (watch: number, read: number) => Record<string, unknown>, quietMs: number): Promise<readonly string[]> {
  let [watch, read] = [-1, 0];
  let isAtHome = false;
  const lane = {
    options: { knowledge: NOTHING_KNOWN },
    canonicalizer: { withoutLeftOut: (facts: unknown) => facts },
    state: {
      probe: async () => {},
      observed: async () => {
        if (isAtHome) watch++;
        read = isAtHome ? 0 : read + 1;
        isAtHome = false;
        return { systems: { app: { kind: "value", value: valueAt(watch, read) } } };
      },
    },
  } as unknown as LaneBase;
  const goHome = async (): Promise<void> => {
    isAtHome = true;
  };
  return (await backgroundWrites(lane, goHome, MS, quietMs)).background;
}

describe("fields that change without a request", () => {
  const job = (_: number, read: number) => ({ ticks: read, balance: 100 });
  const lateWrite = (watch: number, read: number) => ({ ticks: 0, balance: watch === 0 && read > 0 ? 90 : 100 });
  const both = (watch: number, read: number) => ({ ...lateWrite(watch, read), ticks: read });

  it("are those that a job writes in each watch", async () => {
    expect(await watched(job, 1)).toEqual(["systems.app.ticks"]);
  });

  it("are not those that the late write of an earlier call changes once", async () => {
    expect(await watched(lateWrite, 1)).toEqual([]);
    expect(await watched(both, 1)).toEqual(["systems.app.ticks"]);
  });

  it("also change with a long interval, in a second watch that is longer", async () => {
    expect(await watched((watch, read) => ({ ticks: watch === 0 || read > (2 * MS) / 50 ? read : 0 }), 1)).toEqual(["systems.app.ticks"]);
  });

  it("are watched once if no call came before", async () => {
    expect(await watched(lateWrite, 0)).toEqual(["systems.app.balance"]);
  });
});
