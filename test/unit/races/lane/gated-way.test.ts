import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LaneLost } from "../../../../src/lane/index.ts";
import type { Gate } from "../../../../src/model/stores/store-adapter.ts";
import type { Calls } from "../../../../src/races/lane/calls.ts";
import { gatedDelivery } from "../../../../src/races/lane/deliveries.ts";
import type { CallEnd, Execution } from "../../../../src/races/oracle/execution.ts";

const EXECUTION: Execution = { order: null, calls: [], states: [], broken: [], after: [] };
const PLAN = { meetAt: [0, 0], offsets: [0, 0], reversed: false };

/** Two calls at a gate that holds these statements, one in each attempt. */
function atGate(...statements: readonly string[]): { readonly gate: Gate; readonly calls: Calls; readonly said: string[] } {
  const said: string[] = [];
  let release = (): void => {};
  let held = Promise.resolve();
  const gate: Gate = {
    kind: "gate",
    arm: async () => {
      said.push("arm");
      held = new Promise((resolve) => (release = resolve));
    },
    held: async (done) => {
      const statement = statements[said.filter((one) => one === "arm").length - 1];
      if (statement !== undefined) return { statement };
      release();
      await done;
      return undefined;
    },
    view: async () => ({ kind: "running" }),
    release: async () => release(),
  };
  const call = async (side: number): Promise<void> => {
    said.push(`call ${side}`);
    if (side === 0) await held;
  };
  const together: Calls["together"] = async (run) => ((await run(call)) ? EXECUTION : undefined);
  return { gate, calls: { together } as unknown as Calls, said };
}

/** A gate that holds one call until it is released. */
const gateThatHolds = (release: () => void): Gate => ({
  kind: "gate",
  arm: () => Promise.resolve(),
  held: () => Promise.resolve({ statement: "INSERT names" }),
  view: () => Promise.resolve({ kind: "running" }),
  release: () => Promise.resolve(release()),
});

const schedule = (statement: string) => ({ system: "db", held: 0, write: 1, statement });

describe("a call that is held", () => {
  it("is held again where something else of the target made the write", async () => {
    const { gate, calls, said } = atGate("UPDATE jobs", "INSERT names");
    const way = gatedDelivery(gate, schedule("INSERT names"));
    expect(await way.try(calls, PLAN)).toEqual({ execution: EXECUTION, overlapped: true });
    expect(said).toEqual(["arm", "call 0", "arm", "call 0", "call 1"]);
    expect(way.schedule).toEqual(schedule("INSERT names"));
  });

  it("is held before what it writes now where that is never what the schedule names", async () => {
    const { gate, calls, said } = atGate("INSERT audit", "INSERT audit", "INSERT audit");
    const way = gatedDelivery(gate, schedule("INSERT names"));
    expect(await way.try(calls, PLAN)).toEqual({ execution: EXECUTION, overlapped: true });
    expect(said).toEqual(["arm", "call 0", "arm", "call 0", "arm", "call 0", "call 1"]);
    expect(way.schedule).toEqual(schedule("INSERT audit"));
  });

  it("is held before any write where none is named", async () => {
    const { gate, calls, said } = atGate("INSERT audit");
    const way = gatedDelivery(gate, schedule(""));
    expect(await way.try(calls, PLAN)).toEqual({ execution: EXECUTION, overlapped: true });
    expect(said).toEqual(["arm", "call 0", "call 1"]);
    expect(way.schedule).toEqual(schedule("INSERT audit"));
  });

  it("is made once where it writes nothing", async () => {
    const { gate, calls, said } = atGate();
    expect(await gatedDelivery(gate, schedule("INSERT names")).try(calls, PLAN)).toBeUndefined();
    expect(said).toEqual(["arm", "call 0", "call 1"]);
  });

  it("is followed by the other calls, at once in a trial, and one after another in a control arm", async () => {
    const ends = async (offsets: readonly number[]): Promise<readonly string[]> => {
      const { gate, said } = atGate("INSERT names");
      const call = async (side: number): Promise<void> => {
        said.push(`call ${side}`);
        await new Promise((resolve) => setTimeout(resolve, 1));
        said.push(`end ${side}`);
      };
      const together = (async (run) => ((await run(call)) ? EXECUTION : undefined)) as Calls["together"];
      await gatedDelivery(gate, schedule("")).try({ together } as unknown as Calls, { meetAt: [0, 0, 0], offsets, reversed: false });
      return said.filter((one) => !one.endsWith("0") && one !== "arm");
    };
    expect(await ends([0, 0, 0])).toEqual(["call 1", "call 2", "end 1", "end 2"]);
    expect(await ends([0, 50, 100])).toEqual(["call 1", "end 1", "call 2", "end 2"]);
    expect(await ends([50, 100, 0])).toEqual(["call 2", "end 2", "call 1", "end 1"]);
  });

  it.each([
    ["that the target's time limit ends", 1_000],
    ["that fails also if it is held shortly", 100],
  ])("is held for a shorter time before a failure is judged: a call %s", async (_, limitMs) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    let status = 200;
    let release = (): void => {};
    const gate = gateThatHolds(() => release());
    const trials: number[] = [];
    const together = (async (run) => {
      const released = new Promise<void>((resolve) => (release = resolve));
      const from = performance.now();
      status = 200;
      const call = async (): Promise<void> => {
        await released;
        if (performance.now() - from > limitMs) status = 500;
      };
      await run(call);
      trials.push(status);
      return { ...EXECUTION, calls: [{ status } as CallEnd] };
    }) as Calls["together"];
    const trying = gatedDelivery(gate, schedule("")).try({ together } as unknown as Calls, PLAN);
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await trying)!.execution.calls).toMatchObject([{ status: limitMs > 300 ? 200 : 500 }]);
    expect(trials).toEqual([500, limitMs > 300 ? 200 : 500]);
  });

  /** Executes two calls at a gate. The held call ends with a 500 in the first trial only. @returns the end of the held call that is judged */
  async function judgedAfterFailure(
    partnerMs: number,
    heldLimitMs: number,
    second: "answers" | "is lost",
    lost?: "timeout",
  ): Promise<unknown> {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    let release = (): void => {};
    const gate = gateThatHolds(() => release());
    let trials = 0;
    const together = (async (run) => {
      const isFirst = ++trials === 1;
      if (!isFirst && second === "is lost") throw new LaneLost("unreachable", "the target does not answer");
      const released = new Promise<void>((resolve) => (release = resolve));
      await run((side) => (side === 0 ? Promise.race([released, after(heldLimitMs)]) : after(partnerMs)));
      return { ...EXECUTION, calls: [(isFirst ? { status: 500, lost } : { status: 200 }) as CallEnd] };
    }) as Calls["together"];
    const trying = gatedDelivery(gate, schedule("")).try({ together } as unknown as Calls, PLAN);
    await vi.advanceTimersByTimeAsync(20_000);
    return (await trying)!.execution.calls;
  }

  it.each([
    ["the other call ended during the hold", 1_000, 60_000, "answers", undefined, 500],
    ["a call got no answer, and may still be running", 8_000, 60_000, "answers", "timeout", 500],
    ["the second trial loses the lane", 8_000, 60_000, "is lost", undefined, 500],
    ["the other call did not end during the hold", 8_000, 60_000, "answers", undefined, 200],
    ["the held call did not wait for its release", 2_000, 1_000, "answers", undefined, 200],
  ] as const)("is judged by the right trial after a failure: %s", async (_, partnerMs, heldLimitMs, second, lost, status) => {
    expect(await judgedAfterFailure(partnerMs, heldLimitMs, second, lost)).toMatchObject([{ status }]);
  });
});
