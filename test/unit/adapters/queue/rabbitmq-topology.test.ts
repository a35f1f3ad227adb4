import { describe, expect, it } from "vitest";
import type { Management, RabbitmqQueue } from "../../../../src/adapters/queue/rabbitmq/management.ts";
import { readTopology, requireNoStoring, type Topology } from "../../../../src/adapters/queue/rabbitmq/topology.ts";

const exchange = (name: string, type: string) => ({
  name,
  type,
  durable: true,
  auto_delete: false,
  internal: false,
  arguments: {},
  vhost: "/",
});
const binding = (source: string, destination: string, type = "queue") => ({
  source,
  destination,
  destination_type: type,
  routing_key: "#",
  arguments: {},
  properties_key: "#",
  vhost: "/",
});
const queue = (name: string): RabbitmqQueue => ({
  name,
  exclusive: false,
  durable: true,
  auto_delete: false,
  type: "classic",
  arguments: {},
});

/** The topology of a virtual host that has the queues "a" and "b", and these exchanges and bindings. */
function topology(exchanges: readonly object[], bindings: readonly object[]): Promise<Topology> {
  const management = { ask: async (_: string, [what]: readonly string[]) => (what === "exchanges" ? exchanges : bindings) };
  return readTopology(management as unknown as Management, "/", [queue("b"), queue("a")]);
}

describe("the topology of a virtual host", () => {
  it("has bindings and what they connect, in a fixed order, without what belongs to a connection, the broker or seqqa", async () => {
    const exchanges = ["orders", "amq.topic", "seqqa.put-back.1", "unbound", "audit"].map((name) => exchange(name, "topic"));
    const bindings = [
      binding("", "a"),
      binding("orders", "a"),
      binding("amq.topic", "a"),
      binding("orders", "exclusive"),
      binding("seqqa.put-back.1", "b"),
      binding("orders", "audit", "exchange"),
    ];
    const found = await topology(exchanges, bindings);
    expect(found.queues).toEqual([{ name: "a", durable: true, auto_delete: false, arguments: {} }]);
    expect(found.exchanges.map(({ name }) => name)).toEqual(["audit", "orders"]);
    expect(found.bindings.map(({ source, destination }) => `${source} ${destination}`)).toEqual([
      "amq.topic a",
      "orders a",
      "orders audit",
    ]);
    expect(await topology(exchanges.toReversed(), bindings.toReversed())).toEqual(found);
  });

  it.each(["x-delayed-message", "x-recent-history"])("is refused if an exchange stores messages: %s", async (type) => {
    expect(() => requireNoStoring({ queues: [], exchanges: [], bindings: [] }, "RabbitMQ")).not.toThrow();
    const found = await topology([exchange("later", type)], [binding("later", "a")]);
    expect(() => requireNoStoring(found, "RabbitMQ at host")).toThrow(
      expect.objectContaining({
        code: "QUEUE_UNSUPPORTED",
        exitStatus: 2,
        message: `seqqa cannot restore the messages in the exchange "later" of RabbitMQ at host, because its type is ${type}.`,
      }),
    );
  });
});
