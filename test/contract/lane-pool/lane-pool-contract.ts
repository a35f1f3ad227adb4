import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LanePool } from "../../../src/engine/lane-pool.ts";
import {
  KIND_BITS,
  HI,
  KIND,
  LO,
  ROW,
  STATUS,
  type Expansion,
  type LaneReport,
  type UnitRequest,
} from "../../../src/messages/lane-messages.ts";
import { NOTHING_KNOWN } from "../../../src/state/index.ts";
import { VisitedSet } from "../../../src/engine/graph/visited-set.ts";

/** Actions of the ledger in memory: create, then pay, ship, refund and cancel of each order. */
const ACTIONS = 13;
const CREATE = 0;
const PAY_1 = 1;

/**
 * What the engine relies on, whichever way it reaches lanes. The explored world is the ledger in memory: its outcomes are known, so
 * that a row which does not come back as it was written shows.
 */
export function expanderContract(name: string, create: () => Promise<LanePool>): void {
  describe(name, () => {
    let lanePool: LanePool;
    let reports: readonly LaneReport[];

    beforeEach(async () => {
      lanePool = await create();
      reports = await lanePool.start();
      lanePool.share(new VisitedSet());
    });

    afterEach(() => lanePool.close());

    const unit = (
      path: readonly number[],
      at: { readonly lo: number; readonly hi: number },
      more: Partial<UnitRequest> = {},
    ): UnitRequest => ({
      path,
      from: 0,
      to: ACTIONS,
      ...at,
      uncertain: false,
      snapshot: undefined,
      ...more,
    });
    const root = (more: Partial<UnitRequest> = {}): UnitRequest => unit([], { lo: reports[0]!.rootLo, hi: reports[0]!.rootHi }, more);
    const lanes = (): number[] => [...Array(lanePool.lanes).keys()];

    it("brings all lanes up to one root state", () => {
      expect(reports).toHaveLength(lanePool.lanes);
      for (const { wholeLo, wholeHi, rootLo, rootHi, findings, errors, portable } of reports) {
        expect([wholeLo, wholeHi, rootLo, rootHi]).toEqual([
          reports[0]!.wholeLo,
          reports[0]!.wholeHi,
          reports[0]!.rootLo,
          reports[0]!.rootHi,
        ]);
        expect([findings, errors, portable]).toEqual([[], [], true]);
      }
    });

    it("expands a node, the same on every lane and every time", async () => {
      const first = await lanePool.expand(0, { units: [root()], direct: true });
      expect(first).toMatchObject({ finished: 1, failure: undefined, divergences: [], replayed: 0, checked: 0 });
      expect(statusesOf(first)).toEqual([201, ...Array.from({ length: 12 }, () => 404)]);
      expect(first.busyMs).toBeGreaterThan(0);
      for (const lane of lanes()) {
        expect(rowsOf(await lanePool.expand(lane, { units: [root()], direct: true }))).toEqual(rowsOf(first));
      }
    });

    it("expands a part of a node's actions", async () => {
      const whole = rowsOf(await lanePool.expand(0, { units: [root()], direct: true }));
      const part = rowsOf(await lanePool.expand(0, { units: [root({ from: 0, to: 2 }), root({ from: 5, to: 6 })], direct: true }));
      expect(part).toEqual([...whole.slice(0, 2), whole[5]]);
    });

    it("gets to nodes by their path and by their captured state, on whichever lane, with equal outcomes", async () => {
      const first = await lanePool.expand(0, { units: [root()], direct: true });
      const created = reached(first, CREATE);
      const snapshot = first.snapshots.find(({ action }) => action === CREATE)!.snapshot;
      const byPath = await lanePool.expand(0, { units: [unit([CREATE], created)], direct: true });
      expect(byPath.replayed).toBe(1);
      expect(statusesOf(byPath).slice(0, 5)).toEqual([201, 200, 409, 409, 200]);
      for (const lane of lanes()) {
        const byImage = await lanePool.expand(lane, { units: [unit([CREATE], created, { snapshot })], direct: true });
        expect(rowsOf(byImage)).toEqual(rowsOf(byPath));
        expect(byImage.replayed).toBe(0);
        const forced = await lanePool.expand(lane, { units: [unit([CREATE], created, { snapshot })], direct: false });
        expect(rowsOf(forced)).toEqual(rowsOf(byPath));
      }
    });

    it("answers a chunk's units in their order, and the chunks that a lane may hold one after the other", async () => {
      const first = await lanePool.expand(0, { units: [root()], direct: true });
      const node = unit([CREATE], reached(first, CREATE));
      const apart = [await lanePool.expand(0, { units: [node], direct: true }), first];
      const there = (): Promise<Expansion> => lanePool.expand(0, { units: [node, root()], direct: true });
      const back = (): Promise<Expansion> => lanePool.expand(0, { units: [root(), node], direct: true });
      const together = lanePool.depth > 1 ? await Promise.all([there(), back()]) : [await there(), await back()];
      expect(rowsOf(together[0]!)).toEqual([...rowsOf(apart[0]!), ...rowsOf(first)]);
      expect(rowsOf(together[1]!)).toEqual([...rowsOf(first), ...rowsOf(apart[0]!)]);
    });

    it("leaves the payload out for states that are committed, never the row", async () => {
      const first = await lanePool.expand(0, { units: [root()], direct: true });
      expect(first.snapshots.map(({ action }) => action)).toContain(CREATE);
      const visited = new VisitedSet();
      const { lo, hi } = reached(first, CREATE);
      visited.add(lo, hi);
      lanePool.share(visited);
      const again = await lanePool.expand(0, { units: [root()], direct: true });
      expect(again.snapshots).toEqual([]);
      expect(rowsOf(again)).toEqual(rowsOf(first));
    });

    it("says in `failure` that a node is not the one on record, and goes on once the lane is rebuilt", async () => {
      const lost = await lanePool.expand(0, { units: [root(), unit([CREATE], { lo: 1, hi: 2 })], direct: true });
      expect(lost).toMatchObject({ finished: 1, failure: { kind: "dirty", unit: 1, action: 0 } });
      expect(rowsOf(lost)).toHaveLength(ACTIONS);
      const report = await lanePool.rebuild(0);
      expect([report.wholeLo, report.wholeHi, report.rootLo, report.rootHi]).toEqual([
        reports[0]!.wholeLo,
        reports[0]!.wholeHi,
        reports[0]!.rootLo,
        reports[0]!.rootHi,
      ]);
      expect(statusesOf(await lanePool.expand(0, { units: [root()], direct: true }))[0]).toBe(201);
    });

    it("records a path with its requests and the state that it leads to", async () => {
      const first = await lanePool.expand(0, { units: [root()], direct: true });
      const recording = await lanePool.record(0, [CREATE, PAY_1]);
      expect(recording.steps.map(({ status }) => status)).toEqual([201, 200]);
      expect(recording).toMatchObject({ findings: [], errors: [], brokeAt: undefined, failure: undefined });
      expect((await lanePool.record(0, [CREATE])).reached).toEqual(reached(first, CREATE));
      expect(rowsOf(await lanePool.expand(0, { units: [root()], direct: true }))).toEqual(rowsOf(first));
    });

    it("learns nothing of a world that generates nothing", async () => {
      expect(await lanePool.calibrate()).toMatchObject({ learned: NOTHING_KNOWN, suspects: [], unlike: [], late: [] });
    });

    it("told what is known, all lanes go on from one root, whether they are built anew or not", async () => {
      const known = { ...NOTHING_KNOWN, dropped: [{ field: "nowhere.nothing", values: ["1", "2"] as const }] };
      const learned = async (fresh?: "fresh"): Promise<unknown> => {
        const built = await lanePool.learn(known, fresh);
        const roots = built.map(({ rootLo, rootHi, wholeLo, wholeHi }) => [rootLo, rootHi, wholeLo, wholeHi]);
        const { rootLo: lo, rootHi: hi } = built[0]!;
        const rows = lanes().map(async (lane) => rowsOf(await lanePool.expand(lane, { units: [unit([], { lo, hi })], direct: true })));
        return [roots, await Promise.all(rows)];
      };
      const fresh = await learned("fresh");
      expect(await learned()).toEqual(fresh);
      expect(await learned()).toEqual(fresh);
    });

    it("stops at the next action when it is cancelled", async () => {
      const many = Array.from({ length: 2000 }, () => root());
      const answers = lanes().map((lane) => lanePool.expand(lane, { units: many, direct: true }));
      lanePool.cancel();
      for (const answer of await Promise.all(answers)) {
        expect(answer.finished).toBeLessThan(many.length);
        expect(answer.failure).toBeUndefined();
      }
    });
  });
}

function rowsOf({ rows }: Expansion): readonly (readonly number[])[] {
  return Array.from({ length: rows.length / ROW }, (_, i) => [...rows.subarray(i * ROW, (i + 1) * ROW)]);
}

function statusesOf({ rows }: Expansion): readonly number[] {
  return Array.from({ length: rows.length / ROW }, (_, i) => ((rows[i * ROW + KIND]! & KIND_BITS) === 0 ? rows[i * ROW + STATUS]! : -1));
}

function reached({ rows }: Expansion, action: number): { readonly lo: number; readonly hi: number } {
  return { lo: rows[action * ROW + LO]!, hi: rows[action * ROW + HI]! };
}
