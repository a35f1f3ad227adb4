import { describe } from "vitest";
import { NatsAdapter } from "../../../../src/adapters/queue/index.ts";
import { stores } from "../../../../src/adapters/queue/nats/index.ts";
import type { Random } from "../../../contract/system/random.ts";
import { systemContract, type Subject } from "../../../contract/system/system-contract.ts";
import { Writer } from "../../../contract/system/writers/writer.ts";
import { size } from "../../../sizes.ts";
import { storeLane } from "../../../support/queue-lane.ts";
import { natsUrl } from "../../../support/services.ts";

type Command = readonly [name: string, ...parameters: unknown[]];

const SEED: readonly Command[] = [
  ["stream", { name: "work", subjects: ["work.>"], retention: "workqueue" }],
  ["stream", { name: "log", subjects: ["log.*"], max_msgs_per_subject: 2 }],
  ["stream", { name: "last", subjects: ["last.*"], max_msgs_per_subject: 1, storage: "memory" }],
  ["stream", { name: "heard", subjects: ["heard"], retention: "interest" }],
  ["consumer", "heard", { durable_name: "ears", ack_policy: "explicit" }],
  ["publish", "work.a", "first", "id-1"],
  [
    "publish",
    "log.a",
    "second",
    null,
    [
      ["x", "1"],
      ["x", "2"],
    ],
  ],
  ["publish", "log.a", "third", null],
  ["remove", "log", 1],
];

function command(random: Random): Command {
  const subject = random.pick(["work.a", "work.b.c", "log.a", "log.b", "last.a", "last.b", "heard"]);
  const stream = subject.split(".")[0]!;
  if (random.chance(75)) {
    const text = random.pick(["", "Ünïcode", `{"n":${random.below(100)}}`]);
    return ["publish", subject, text, random.pick([null, null, `id-${random.below(4)}`]), random.pick([[], [["x", "ä"]]])];
  }
  if (random.chance(75)) return ["remove", stream, 1 + random.below(8)];
  return ["purge", stream, random.pick([{}, { filter: subject }])];
}

async function lane(index: number): Promise<Subject> {
  const { url, close } = await storeLane(stores, await natsUrl());
  const writer = new Writer<Command>("queue-writer.mjs", url);
  if ((await writer.run(...SEED)) > 0) throw new Error("the seed was refused");
  const system = new NatsAdapter({ url });
  await system.open({ name: "jobs", laneIndex: index, inProcess: false, borrowed: false });
  return {
    system,
    // What is gone already cannot be removed again.
    write: async (random) => void (await writer.run(command(random))),
    close: async () => {
      await system.close();
      await writer.stop();
      await close();
    },
  };
}

describe("nats, another process", () => {
  systemContract({ lane, cycles: size(5, 1000) });
});
