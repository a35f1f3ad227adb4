import { beforeAll, describe, expect, it } from "vitest";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { learnValues } from "../../../../src/run/explore/learn/learn-values.ts";
import { loadHasher, NOTHING_KNOWN } from "../../../../src/state/index.ts";
import { TestLanePool } from "../../../support/test-lane-pool.ts";
import { atEnd } from "../../../support/at-end.ts";
import { leapsInTime } from "../../../support/leaping-clock.ts";

leapsInTime();

beforeAll(loadHasher);

interface Shop {
  readonly mails: number;
}

/** How long after the answer the mail of `order` arrives. */
const LATE_MS = 300;

describe("a write that follows each call", () => {
  it("is a late write of the call, and not one of a job in the target", async () => {
    // The write happens when seqqa looks for it, so that a busy machine cannot delay the look until after the write.
    let send: (() => void) | undefined;
    // The probe is also called at the end of each step, when the mail has not arrived yet.
    let isEndOfStep = false;
    const order = new Action<object, MemoryAdapter<Shop>>({
      name: "order",
      run: async (api) => {
        const { mails } = api.state;
        const sendOnce = (): void => {
          if (send === sendOnce) api.state = { mails: mails + 1 };
          send = undefined;
        };
        send = sendOnce;
        isEndOfStep = true;
        setTimeout(sendOnce, LATE_MS);
        return ApiResponse.of(200, {});
      },
    });
    const definition = new AgentDefinition<object, MemoryAdapter<Shop>>({
      world: () => {
        const store = new MemoryAdapter<Shop>({ state: { mails: 0 } });
        const probe = async (): Promise<null> => {
          if (!isEndOfStep) send?.();
          isEndOfStep = false;
          return null;
        };
        return new World<object, MemoryAdapter<Shop>>({ api: store, systems: { store }, context: {}, probe });
      },
      invariants: [],
      actions: [order],
    });
    const lanePool = new TestLanePool({ definition: definition as unknown as AgentDefinition<never, never>, lanes: 1, delays: false });
    atEnd(() => lanePool.close());
    const reports = await lanePool.start();
    const learned = await learnValues(lanePool, { reports, knowledge: NOTHING_KNOWN }, { idleMs: 300, startsTargets: false });
    expect(learned.knowledge.background).toEqual([]);
    expect(learned.divergences).toMatchObject([
      {
        kind: "late_write",
        path: ["order"],
        fields: ["systems.store.mails"],
        message: expect.stringContaining("wrote systems.store.mails after") as string,
      },
    ]);
  });
});
