import { describe } from "vitest";
import { RabbitmqAdapter } from "../../../../src/adapters/queue/index.ts";
import { stores } from "../../../../src/adapters/queue/rabbitmq/index.ts";
import type { Random } from "../../../contract/system/random.ts";
import { systemContract, type Subject } from "../../../contract/system/system-contract.ts";
import { Writer } from "../../../contract/system/writers/writer.ts";
import { size } from "../../../sizes.ts";
import { storeLane } from "../../../support/queue-lane.ts";
import { rabbitmqUrl } from "../../../support/services.ts";

type Command = readonly [name: string, ...parameters: unknown[]];

const QUEUES = ["plain", "sorted", "durable", "short", "refused"];

const SEED: readonly Command[] = [
  ["declare", "plain", {}],
  ["declare", "sorted", { arguments: { "x-max-priority": 3 } }],
  ["declare", "durable", { arguments: { "x-queue-type": "quorum" } }],
  ["declare", "short", { arguments: { "x-max-length": 2 } }],
  ["declare", "refused", { deadLetterExchange: "", deadLetterRoutingKey: "plain" }],
  ["exchange", "events", "topic"],
  ["bind", "plain", "events", "a.*"],
  ["bind", "sorted", "events", "#"],
  ["publish", "", "plain", "first"],
  ["publish", "events", "a.b", '{"n":1}', { headers: { x: 1 }, messageId: "m", priority: 2, persistent: true }],
];

function command(random: Random): Command {
  const queue = random.pick(QUEUES);
  const options = random.pick([
    {},
    { priority: random.below(4) },
    { headers: { n: random.below(9), of: ["a", { b: null }] }, correlationId: "c", replyTo: "r", type: "t" },
    { persistent: true, contentType: "application/json", expiration: "3600000" },
  ]);
  const text = random.pick(["", "Ünïcode", `{"n":${random.below(100)}}`]);
  if (random.chance(20)) return ["publish", "events", random.pick(["a.b", "c"]), text, options];
  if (random.chance(55)) return ["publish", "", queue, text, options];
  return [random.pick(["take", "take", "requeue", "reject", "purge"]), queue];
}

async function lane(index: number): Promise<Subject> {
  const { url, close } = await storeLane(stores, await rabbitmqUrl());
  const writer = new Writer<Command>("queue-writer.mjs", url);
  if ((await writer.run(...SEED)) > 0) throw new Error("the seed was refused");
  const system = new RabbitmqAdapter({ url });
  await system.open({ name: "jobs", laneIndex: index, inProcess: false, borrowed: false });
  return {
    system,
    write: async (random) => {
      if ((await writer.run(command(random))) > 0) throw new Error("a command was refused");
    },
    close: async () => {
      await system.close();
      await writer.stop();
      await close();
    },
  };
}

describe("rabbitmq, another process", () => {
  systemContract({ lane, cycles: size(5, 1000) });
});
