import { describe, expect, it } from "vitest";
import { EXCHANGES, EXECUTED, ROW, STATES, type Chunk, type UnitRequest } from "../../../../src/messages/lane-messages.ts";
import type { LaneBase } from "../../../../src/lane/bring-up/lane-base.ts";
import { ChunkReport } from "../../../../src/lane/report/chunk-report.ts";
import { ExpansionSum } from "../../../../src/lane/report/expansion-sum.ts";
import type { Outcome } from "../../../../src/lane/step/outcome.ts";
import { offerClientPart, type ClientPart } from "../../../../src/model/http/client.ts";
import { World } from "../../../../src/model/declare/world.ts";

const OUTCOME = { kind: "executed", status: 200, findings: [], errors: [] } as unknown as Outcome;

function reportOf(details: number, portable = true, world: World = new World()): ChunkReport {
  const base = {
    world,
    state: { portable },
    ignored: { paths: ["tokn", "systems.probe.at"] },
    canonicalizer: { describe: () => ["a: 1"] },
    stepper: { exchanges: [], waited: new Map() },
  } as unknown as LaneBase;
  const report = new ChunkReport(base);
  const unit = { from: 1, to: 3 } as UnitRequest;
  report.begin({ units: [unit], direct: true, details } satisfies Chunk);
  return report;
}

describe("ChunkReport", () => {
  it("asks for the image of a state once, and for none that is committed or cannot be written", () => {
    const report = reportOf(0);
    report.visited = { has: (lo) => lo === 7 };
    expect([report.wanted(1, 2), report.wanted(1, 2), report.wanted(7, 0), report.wanted(2, 1)]).toEqual([true, false, false, true]);
    expect(reportOf(0, false).wanted(1, 2)).toBe(false);
    report.begin({ units: [], direct: true });
    expect(report.wanted(1, 2)).toBe(true);
  });

  it("keeps lines of states that are not committed, each with the action that reached it", () => {
    const report = reportOf(EXCHANGES | STATES);
    report.visited = { has: (lo) => lo === 7 };
    expect([report.wantsDetails, report.wantsStates]).toEqual([true, true]);
    report.beginAction();
    report.describe(1, 0, {} as never);
    report.keepDetails(0, 1, OUTCOME);
    report.beginAction();
    report.describe(7, 0, {} as never);
    report.keepDetails(0, 2, OUTCOME);
    const { details } = report.answer(1, undefined, performance.now(), 0);
    expect(details!.map(({ action, state }) => [action, state])).toEqual([
      [1, ["a: 1"]],
      [2, undefined],
    ]);
  });

  it("counts steps of checks apart from those that led to nodes, and sends no details that nobody asked for", () => {
    const report = reportOf(0);
    report.rows.push(EXECUTED, 200, { lo: 1, hi: 2 });
    report.checkedSteps = 4;
    const answer = report.answer(1, undefined, performance.now(), 10);
    expect([answer.replayed, answer.checked, answer.rows.length, answer.details]).toEqual([6, 4, ROW, undefined]);
    report.begin({ units: [], direct: true });
    const next = report.answer(0, undefined, performance.now(), 0);
    expect([next.checked, next.rows.length, next.stepEvents, next.snapshots, next.divergences]).toEqual([0, 0, [], [], []]);
  });

  it("says what keys and patterns there are in states beside those that are known, while that is asked for", () => {
    const report = reportOf(0, true, new World({ context: { token: "a", cart: 1 } }) as never);
    const facts = { systems: { probe: { kind: "value", value: { at: 1 } } }, context: {}, clients: {} } as const;
    expect(report.wantsOccurrences).toBe(false);
    const said = (occurred: readonly string[]): unknown => {
      report.begin({ units: [], direct: true, occurred });
      expect(report.wantsOccurrences).toBe(true);
      report.noteOccurrences(0, 2, facts);
      const sum = new ExpansionSum();
      sum.add(report.answer(1, undefined, performance.now(), 0), 3);
      return sum.finish(1, 0, undefined).occurrences;
    };
    expect(said(["cart"])).toEqual([{ unit: 3, action: 2, names: ["token", "systems.probe.at"] }]);
    expect(said(["cart", "token", "systems.probe.at"])).toEqual([]);
  });

  it("says that the target answers in two packets, where a client of any role found it", () => {
    const client = {};
    let twoPackets = false;
    const part = {
      version: 0,
      join: () => undefined,
      get twoPackets() {
        return twoPackets;
      },
    };
    offerClientPart(client, part as unknown as ClientPart);
    const report = reportOf(0, true, new World({ clients: { admin: client } }) as never);
    const said = (): boolean | undefined => {
      const sum = new ExpansionSum();
      sum.add(report.answer(1, undefined, performance.now(), 0), 0);
      return sum.finish(1, 0, undefined).twoPackets;
    };
    expect(said()).toBeUndefined();
    twoPackets = true;
    expect(said()).toBe(true);
  });

  it("names each cookie that a client of any role rejected, once", () => {
    const rejected: string[] = [];
    const [one, two] = [{}, {}];
    for (const client of [one, two])
      offerClientPart(client, { version: 0, join: () => undefined, rejectedCookies: () => rejected } as unknown as ClientPart);
    const report = reportOf(0, true, new World({ clients: { one, two } }) as never);
    const said = (): readonly string[] | undefined => {
      const sum = new ExpansionSum();
      for (const unit of [0, 1]) sum.add(report.answer(1, undefined, performance.now(), 0), unit);
      return sum.finish(2, 0, undefined).rejectedCookies;
    };
    expect(said()).toBeUndefined();
    rejected.push("sid");
    expect(said()).toEqual(["sid"]);
  });
});
