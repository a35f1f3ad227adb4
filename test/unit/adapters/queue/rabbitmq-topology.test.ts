import { afterEach, describe, expect, it, vi } from "vitest";
import { Management, type RabbitmqQueue } from "../../../../src/adapters/queue/rabbitmq/management.ts";
import { rabbitmqPlace } from "../../../../src/adapters/queue/rabbitmq/rabbitmq-place.ts";
import {
  NO_TOPOLOGY,
  readTopology,
  requireNoStoring,
  restoreTopology,
  type Topology,
} from "../../../../src/adapters/queue/rabbitmq/topology.ts";

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
async function topology(exchanges: readonly object[], bindings: readonly object[]): Promise<Topology> {
  const management = {
    queues: async () => [queue("b"), queue("a")],
    ask: async (_: string, [what]: readonly string[]) => (what === "exchanges" ? exchanges : bindings),
  };
  return (await readTopology(management as unknown as Management, "/")).topology;
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

describe("a restore of the topology that the broker refuses", () => {
  afterEach(() => vi.unstubAllGlobals());
  const answer = (status: number, body: unknown): void => {
    vi.stubGlobal("fetch", async () => new Response(JSON.stringify(body), { status }));
  };
  const management = new Management(rabbitmqPlace("amqp://host/lane"));
  const wanted: Topology = { ...NO_TOPOLOGY, queues: [{ name: "a", durable: true, auto_delete: false }] };
  const added = async (): Promise<Topology> => topology([exchange("orders", "topic")], [binding("orders", "a")]);

  it.each([
    [400, { error: "bad_request", reason: "queue limit in vhost 'lane' (2) is reached" }, ": queue limit in vhost 'lane' (2) is reached."],
    [403, { error: "not_authorised", reason: "User not authorised." }, ": User not authorised."],
    [404, { error: "Object Not Found" }, ": Object Not Found."],
    [500, "<html>", "."],
  ])("names the broker's reason: %i", async (status, body, reason) => {
    answer(status, body);
    await expect(restoreTopology(management, "lane", NO_TOPOLOGY, wanted)).rejects.toMatchObject({
      code: "STORE_NOT_PUT_BACK",
      message: `The queues, exchanges and bindings of RabbitMQ at host (virtual host lane) could not be restored: the management API answered ${status} to POST /api/definitions${reason}`,
    });
  });

  it("also if the broker refuses to remove a binding", async () => {
    answer(403, { error: "not_authorised", reason: "User not authorised" });
    await expect(restoreTopology(management, "lane", await added(), wanted)).rejects.toMatchObject({
      code: "STORE_NOT_PUT_BACK",
      message: expect.stringContaining("answered 403 to DELETE /api/bindings: User not authorised.") as string,
    });
  });

  it("ignores that a binding is gone already", async () => {
    vi.stubGlobal("fetch", async (_: string, { method }: RequestInit) => new Response(null, { status: method === "DELETE" ? 404 : 204 }));
    expect(await restoreTopology(management, "lane", await added(), wanted)).toBe(true);
    expect(await restoreTopology(management, "lane", wanted, wanted)).toBe(false);
  });
});
