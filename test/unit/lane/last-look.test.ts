import { describe, expect, it } from "vitest";
import { ApiResponse } from "../../../src/model/http/response.ts";
import { laneCase, type CaseLane, type Hands, type LaneCase, type LookingMemory } from "../../support/lane-case.ts";
import { leapsInTime } from "../../support/leaping-clock.ts";

leapsInTime();

const ok = (): ApiResponse => ApiResponse.of(200);
const nothing = { run: ok };
const change = { run: ({ store }: Hands) => (store.state.n++, ok()) };

const lane = (actions: LaneCase["actions"], more: Partial<LaneCase> = {}): Promise<CaseLane> =>
  laneCase({ actions, watched: "looks", context: { plain: 1 }, ...more });

/** How often the store was looked into while `count` actions were taken at the root. */
async function looks(action: LaneCase["actions"][number], count: number, more: Partial<LaneCase> = {}): Promise<number> {
  const one = await lane(
    Array.from({ length: count }, () => action),
    more,
  );
  // Every step is looked at twice at first.
  await one.expand();
  const store = one.store as LookingMemory;
  store.looks = 0;
  await one.expand();
  return store.looks;
}

describe("a store that keeps its last look", () => {
  it("is looked into once after an action that changed nothing", async () => {
    const [some, more] = [await looks(nothing, 110), await looks(nothing, 120)];
    expect(more - some).toBe(10);
  });

  it("is looked into once more after the checks of a state that an action left as it was", async () => {
    const invariants = [{ name: "always", when: () => true, check: () => true }];
    const [some, more] = [await looks(nothing, 110, { invariants }), await looks(nothing, 120, { invariants })];
    expect(more - some).toBe(20);
  });

  it("is observed as it was when it was seen to be changed, whatever came after that", async () => {
    const one = await lane([change]);
    const plain = await one.expand();
    const store = one.store as LookingMemory;
    const { changed } = store;
    store.changed = function (this: LookingMemory, mark: unknown): boolean {
      const found = changed.call(this, mark);
      store.changed = changed;
      queueMicrotask(() => void (store.state.n = 50));
      return found;
    };
    const { rows, expansion } = await one.expand();
    expect(rows).toEqual(plain.rows);
    expect(expansion.divergences).toMatchObject([
      {
        path: [0],
        message: expect.stringMatching(/^Something wrote to store.* while seqqa checked a state\. seqqa did not find the cause/) as string,
      },
    ]);
  });

  it("a write during the restore is a late write of the action, and is not left for the next one", async () => {
    const writesLate = ({ store }: Hands): ApiResponse => {
      (store as LookingMemory).onRestore = () => {
        (store as LookingMemory).onRestore = undefined;
        store.state.n = 7;
      };
      store.state.n++;
      return ok();
    };
    const one = await lane([{ run: writesLate }, nothing]);
    const { expansion, rows } = await one.expand();
    expect(expansion.divergences).toMatchObject([{ kind: "late_write", path: [0], fields: ["systems.store.n"] }]);
    expect(rows.map(({ same }) => same)).toEqual([false, true]);
  });

  it("a write while the checks wait is seen before the restore", async () => {
    let late = true;
    const one = await lane(
      [{ run: ({ store }: Hands) => (late && setTimeout(() => void (store.state.n += 10), 1), change.run({ store } as Hands)) }, nothing],
      {
        invariants: [{ name: "slow", check: () => new Promise((resolve) => setTimeout(resolve, 30, true)) }],
      },
    );
    const { expansion, rows } = await one.expand();
    late = false;
    expect(expansion.divergences).toMatchObject([{ kind: "late_write", path: [0], fields: ["systems.store.n"] }]);
    expect(rows.map(({ same }) => same)).toEqual([false, true]);
  });

  it("what is written over and over while nobody asks is not laid to an action, nor to a check", async () => {
    const one = await lane([nothing, change], {
      invariants: [{ name: "slow", check: () => new Promise((resolve) => setTimeout(resolve, 60, true)) }],
    });
    const { rootLo: lo, rootHi: hi } = one.lane.base.report;
    const beats = setInterval(() => void one.store.state.n++, 20);
    try {
      const unit = { path: [], from: 0, to: 2, lo, hi, uncertain: false, snapshot: undefined };
      const { divergences, stepEvents } = await one.lane.runtime.expand({ units: [unit], direct: true });
      expect(stepEvents.flatMap(({ errors }) => errors)).toEqual([]);
      expect(divergences.length).toBeGreaterThan(0);
      for (const { path, message } of divergences) {
        expect(path).toEqual([]);
        expect(message).toMatch(
          /^Something wrote to .*, and again while no request was in progress\. The cause is a timer or job of the target/,
        );
      }
    } finally {
      clearInterval(beats);
    }
  });

  it("is looked into where the context alone was changed by then", async () => {
    const one = await lane([{ run: ({ store, context }: Hands) => (context.set("more", 1), store.state.n++, ok()) }, change]);
    const { rows } = await one.expand();
    expect(rows.map(({ same }) => same)).toEqual([false, false]);
    expect(rows[0]!.lo).not.toBe(rows[1]!.lo);
  });
});
