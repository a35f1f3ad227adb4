import { connect, type ConfirmChannel } from "amqplib";
import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { RabbitmqAdapter } from "../../../../src/adapters/queue/index.ts";
import { stores } from "../../../../src/adapters/queue/rabbitmq/index.ts";
import { Management } from "../../../../src/adapters/queue/rabbitmq/management.ts";
import { rabbitmqPlace, urlOfVhost } from "../../../../src/adapters/queue/rabbitmq/rabbitmq-place.ts";
import { queueContract, type QueueSubject } from "../../../contract/queue/queue-contract.ts";
import { storeLane } from "../../../support/queue-lane.ts";
import { rabbitmqUrl } from "../../../support/services.ts";
import { until } from "../../../support/e2e.ts";

let server: string;
beforeAll(async () => {
  server = await rabbitmqUrl();
});

const bytes = (data: unknown): Buffer => Buffer.from(typeof data === "string" ? data : JSON.stringify(data));

async function client(url: string): Promise<{ readonly channel: ConfirmChannel; close(): Promise<void> }> {
  const connection = await connect(url);
  // The virtual host of a lane is removed while we are connected.
  connection.on("error", () => undefined);
  return { channel: await connection.createConfirmChannel(), close: () => connection.close().catch(() => undefined) };
}

async function opened(url: string): Promise<RabbitmqAdapter> {
  const store = new RabbitmqAdapter({ url });
  await store.open({ name: "jobs", laneIndex: 0, inProcess: false, borrowed: false });
  return store;
}

/** An empty virtual host of a test's own, removed at its end. */
async function virtualHost(): Promise<string> {
  const place = rabbitmqPlace(server);
  const name = `test_${randomBytes(4).toString("hex")}`;
  const management = new Management(place);
  await management.ask("PUT", ["vhosts", name]);
  onTestFinished(() => management.ask("DELETE", ["vhosts", name]));
  return urlOfVhost(place, name);
}

const virtualHosts = async (): Promise<readonly string[]> =>
  (await new Management(rabbitmqPlace(server)).ask<readonly { readonly name: string }[]>("GET", ["vhosts"]))!.map(({ name }) => name);

const provider = (url: string, runId: string) => stores.createProvider({ name: "jobs", url, runId, directory: "/nonexistent" });

/** Ends the connection that owns a queue, and waits until another connection has made the queue again. */
async function endConnection(queue: string, url: string): Promise<void> {
  const place = rabbitmqPlace(url);
  const management = new Management(place);
  interface Owned {
    readonly owner_pid_details?: { readonly name?: string };
  }
  const owner = async (): Promise<string | undefined> => {
    const found = await management.ask<Owned>("GET", ["queues", place.vhost, queue]);
    return found?.owner_pid_details?.name || undefined;
  };
  let name: string | undefined;
  await until(async () => (name = await owner()) !== undefined, "the queue's owner");
  await management.ask("DELETE", ["connections", name!]);
  await until(async () => ![undefined, name].includes(await owner()), "the next owner of the queue");
}

describe("queues of RabbitMQ", () => {
  queueContract(async (): Promise<QueueSubject> => {
    const lane = await storeLane(stores, server);
    const { channel, close } = await client(lane.url);
    await channel.assertQueue("charges");
    const store = await opened(lane.url);
    return {
      store,
      add: async (data) => {
        channel.sendToQueue("charges", bytes(data));
        await channel.waitForConfirms();
      },
      work: async () => void (await channel.consume("charges", () => undefined)),
      close: async () => {
        await store.close();
        await close();
        await lane.close();
      },
    };
  });

  it("a message keeps its properties, its exchange and its routing key through looks and restores", async () => {
    const url = await virtualHost();
    const { channel, close } = await client(url);
    await channel.assertExchange("orders", "topic");
    await channel.assertQueue("charges");
    await channel.bindQueue("charges", "orders", "order.*");
    const store = await opened(url);
    channel.publish("orders", "order.new", Buffer.from([0xff, 0xfe]), { messageId: "m1", headers: { tries: 1 }, priority: 3 });
    await channel.waitForConfirms();
    const mark = await store.mark();
    await (await store.take("charges"))!.settle("done");
    await store.restore(mark);
    expect(await store.jobs("charges")).toEqual([
      { queue: "charges", id: "m1", name: "order.new", data: "//4=", headers: { tries: 1 }, redelivered: false, state: "waiting" },
    ]);
    const got = await channel.get("charges");
    expect(got).toMatchObject({ properties: { messageId: "m1", priority: 3, headers: { tries: 1 } } });
    await store.close();
    await close();
  });

  it("a message with a CC header is copied by the sender alone, and by no look", async () => {
    const url = await virtualHost();
    const { channel, close } = await client(url);
    await channel.assertQueue("charges");
    await channel.assertQueue("copies");
    const store = await opened(url);
    channel.sendToQueue("charges", bytes(1), { CC: ["copies"] });
    await channel.waitForConfirms();
    const mark = await store.mark();
    const first = await store.observe();
    expect(await store.observe()).toEqual(first);
    await store.restore(mark);
    expect(await store.jobs("copies")).toMatchObject([{ data: 1, headers: { CC: ["copies"] } }]);
    expect(await store.jobs("charges")).toMatchObject([{ data: 1, headers: { CC: ["copies"] } }]);
    await store.close();
    await close();
  });

  it("a rejected job goes to the exchange for dead letters, as the broker does it", async () => {
    const url = await virtualHost();
    const { channel, close } = await client(url);
    await channel.assertQueue("dead");
    await channel.assertQueue("charges", { deadLetterExchange: "", deadLetterRoutingKey: "dead" });
    const store = await opened(url);
    channel.sendToQueue("charges", bytes(1));
    channel.sendToQueue("charges", bytes(2));
    await channel.waitForConfirms();
    await (await store.take("charges"))!.settle("reject");
    expect(await store.jobs("charges")).toMatchObject([{ data: 2 }]);
    expect(await store.jobs("dead")).toMatchObject([{ data: 1, headers: { "x-first-death-reason": "rejected" } }]);
    await store.close();
    await close();
  });

  it("a rejected job keeps its routing keys, so that it reaches the queue that is bound to them", async () => {
    const url = await virtualHost();
    const { channel, close } = await client(url);
    await channel.assertExchange("orders", "topic");
    await channel.assertExchange("dlx", "direct");
    await channel.assertQueue("charges", { deadLetterExchange: "dlx" });
    await channel.bindQueue("charges", "orders", "order.*");
    for (const [queue, key] of [
      ["dead", "order.new"],
      ["copies", "order.audit"],
    ] as const) {
      await channel.assertQueue(queue);
      await channel.bindQueue(queue, "dlx", key);
    }
    const store = await opened(url);
    channel.publish("orders", "order.new", bytes(1), { CC: ["order.audit"] });
    channel.publish("orders", "order.new", bytes(2));
    await channel.waitForConfirms();
    const mark = await store.mark();
    await (await store.take("charges"))!.settle("done");
    await store.restore(mark);
    expect(await store.jobs("charges")).toMatchObject([{ data: 1, headers: { CC: ["order.audit"] } }, { data: 2 }]);
    await (await store.take("charges"))!.settle("reject");
    await (await store.take("charges"))!.settle("reject");
    expect(await store.jobs("charges")).toEqual([]);
    expect(await store.jobs("dead")).toMatchObject([
      { data: 1, name: "order.new", headers: { "x-first-death-exchange": "orders" } },
      { data: 2, name: "order.new", headers: { "x-death": [{ queue: "charges", exchange: "orders", "routing-keys": ["order.new"] }] } },
    ]);
    expect(await store.jobs("copies")).toMatchObject([{ data: 1 }]);
    await store.close();
    await expect(new Management(rabbitmqPlace(url)).ask("GET", ["exchanges", rabbitmqPlace(url).vhost])).resolves.toEqual(
      expect.not.arrayContaining([expect.objectContaining({ name: expect.stringContaining("seqqa") as string })]),
    );
    await close();
  });

  it("a message that comes while a look has the others taken out stays behind them, within its priority", async () => {
    const url = await virtualHost();
    const { channel, close } = await client(url);
    await channel.assertQueue("charges", { maxPriority: 2 });
    const store = await opened(url);
    const publish = (n: number, priority: number) => channel.sendToQueue("charges", bytes(n), { priority });
    [1, 2].forEach((n) => publish(n, 1));
    await channel.waitForConfirms();
    await store.root();
    // The messages as the look put them back, and others that were faster.
    const putBack = [await channel.get("charges", { noAck: true }), await channel.get("charges", { noAck: true })];
    publish(3, 1);
    publish(4, 2);
    for (const message of putBack) if (message !== false) channel.sendToQueue("charges", message.content, message.properties);
    await channel.waitForConfirms();
    expect((await store.jobs("charges")).map(({ data }) => data)).toEqual([4, 1, 2, 3]);
    expect((await store.take("charges"))?.job.data).toBe(4);
    await store.close();
    await close();
  });

  it("queues and bindings that a path declares or deletes are as in the restored state", async () => {
    const url = await virtualHost();
    const { channel, close } = await client(url);
    await channel.assertExchange("chat", "topic");
    await channel.assertQueue("audit", { arguments: { "x-max-length": 7 } });
    await channel.bindQueue("audit", "chat", "room.*");
    const store = await opened(url);
    await store.root();
    const root = await store.mark();
    await channel.assertQueue("room/1");
    await channel.bindQueue("room/1", "chat", "room.#");
    await channel.bindQueue("audit", "chat", "", { level: 3 });
    await channel.assertQueue("direct");
    const room = await store.mark();
    expect(room).not.toBe(root);
    const received = async (): Promise<unknown> => {
      channel.publish("chat", "room.x", bytes("hello"));
      channel.publish("chat", "", bytes("unnamed"));
      await channel.waitForConfirms();
      return ((await store.observe()) as { readonly value: object }).value;
    };
    const hello = expect.objectContaining({ data: "hello" }) as object;
    const unnamed = expect.objectContaining({ data: "unnamed" }) as object;
    const [inRoot, inRoom] = [{ audit: [hello] }, { audit: [hello, unnamed], "room/1": [hello] }];
    expect(await received()).toEqual(inRoom);
    const both = await store.mark();
    await store.restore(root);
    expect(await store.observe()).toMatchObject({ value: {} });
    expect(await received()).toEqual(inRoot);
    await channel.deleteQueue("audit");
    await channel.deleteExchange("chat");
    await store.restore(room);
    expect(await received()).toEqual(inRoom);
    await channel.deleteQueue("room/1");
    const image = await store.capture();
    await store.restore(both);
    expect((await store.observe()) as { readonly value: object }).toMatchObject({ value: inRoom });
    await store.write(image);
    expect(await store.observe()).toMatchObject({ value: { audit: [hello, unnamed] } });
    await store.restore(root);
    expect(await received()).toEqual(inRoot);
    // A target declares such a queue once, when it first sends a message, and does not declare it again after a restore.
    channel.sendToQueue("direct", bytes("later"));
    await channel.waitForConfirms();
    expect(await store.jobs("direct")).toMatchObject([{ data: "later" }]);
    await store.close();
    await close();
  });

  it("a look and a restore of unchanged bindings ask the management API three times each, at once", async () => {
    const url = await virtualHost();
    const { channel, close } = await client(url);
    await channel.assertExchange("orders", "topic");
    await channel.assertQueue("charges");
    await channel.bindQueue("charges", "orders", "order.*");
    const store = await opened(url);
    const mark = await store.mark();
    const [fetched, waiting] = [globalThis.fetch, new Set<Promise<Response>>()];
    let atOnce = 0;
    const asked = vi.spyOn(globalThis, "fetch").mockImplementation((...request) => {
      const answer = fetched(...request).finally(() => waiting.delete(answer));
      atOnce = Math.max(atOnce, waiting.add(answer).size);
      return answer;
    });
    onTestFinished(() => asked.mockRestore());
    await store.observe();
    expect([asked.mock.calls.length, atOnce]).toEqual([3, 3]);
    atOnce = 0;
    await store.restore(mark);
    expect([asked.mock.calls.length, atOnce]).toEqual([6, 3]);
    await store.close();
    await close();
  });

  it("a stream is refused: it has no message that could be taken out", async () => {
    const url = await virtualHost();
    const { channel, close } = await client(url);
    await channel.assertQueue("history", { arguments: { "x-queue-type": "stream" } });
    const store = await opened(url);
    await expect(store.root()).rejects.toMatchObject({ code: "QUEUE_UNSUPPORTED" });
    await store.close();
    await close();
  });
});

describe("virtual hosts of lanes", () => {
  it("have the queues and bindings of the template, not its messages, and the template keeps both", async () => {
    const template = await virtualHost();
    const { channel, close } = await client(template);
    await channel.assertExchange("orders", "topic");
    await channel.assertQueue("charges");
    await channel.bindQueue("charges", "orders", "#");
    channel.sendToQueue("charges", bytes(1));
    await channel.waitForConfirms();
    const lane = await storeLane(stores, template);
    const store = await opened(lane.url);
    const other = await client(lane.url);
    expect(await store.jobs("charges")).toEqual([]);
    other.channel.publish("orders", "any", bytes(2));
    await other.channel.waitForConfirms();
    expect(await store.jobs("charges")).toMatchObject([{ data: 2 }]);
    await store.close();
    await other.close();
    await lane.close();
    expect(await channel.checkQueue("charges")).toMatchObject({ messageCount: 1 });
    await close();
  });

  it("of dead runs are removed by the next run and by clean, those of living runs are not, also after they lost their connection", async () => {
    const template = await virtualHost();
    const [living, next] = ["a11fe0", "ae0000"].map((runId) => provider(template, runId));
    await living!.prepare();
    await living!.provide(0, 0);
    const session = await living!.session!();
    await endConnection("seqqa.run.a11fe0_jobs", template);
    expect(await stores.clean(template, { dryRun: true })).toEqual({ removed: [] });
    expect(await living!.session!()).not.toBe(session);
    const { vhost } = rabbitmqPlace(template);
    const description = `A lane's copy of ${vhost}, made by seqqa`;
    await new Management(rabbitmqPlace(server)).ask("PUT", ["vhosts", "seqqa_dead00_jobs_0_0"], { description });
    expect(await stores.clean(template, { dryRun: true })).toEqual({ removed: ["virtual host seqqa_dead00_jobs_0_0"] });
    expect(await virtualHosts()).toEqual(expect.arrayContaining(["seqqa_dead00_jobs_0_0", "seqqa_a11fe0_jobs_0_0"]));
    await next!.prepare();
    expect(await virtualHosts()).not.toContain("seqqa_dead00_jobs_0_0");
    expect(await virtualHosts()).toContain("seqqa_a11fe0_jobs_0_0");
    await next!.close();
    await living!.close();
    expect((await virtualHosts()).filter((name) => /a11fe0|ae0000/.test(name))).toEqual([]);
  });

  it("are different ones for two stores of a run with one template", async () => {
    const template = await virtualHost();
    const both = ["jobs", "mails"].map((name) => stores.createProvider({ name, url: template, runId: "2fee", directory: "/nonexistent" }));
    for (const one of both) await one.prepare();
    const urls = await Promise.all(both.map((one) => one.provide(0, 0)));
    expect(urls.map((url) => rabbitmqPlace(url).vhost)).toEqual(["seqqa_2fee_jobs_0_0", "seqqa_2fee_mails_0_0"]);
    for (const one of both) await one.close();
  });

  it("need the management API, and say how to enable it", async () => {
    const url = new URL(server);
    url.searchParams.set("management", "http://127.0.0.1:1");
    await expect(storeLane(stores, url.href)).rejects.toMatchObject({
      code: "RABBITMQ_MANAGEMENT",
      message: "The management API of RabbitMQ at http://127.0.0.1:1 does not answer.",
      hint: expect.stringContaining("rabbitmq-plugins enable rabbitmq_management") as string,
    });
    expect(await stores.check(url.href)).toMatchObject([{ ok: true }, { ok: false, what: "management" }]);
  });

  it.each([
    ["a password that is wrong", "STORE_NOT_ALLOWED", (url: URL) => (url.password = "s3cret!")],
    ["a virtual host that does not exist", "STORE_MISSING", (url: URL) => (url.pathname = "/nowhere")],
  ])("are refused for %s, without the password", async (_, code, change) => {
    const url = new URL(server);
    change(url);
    const error = await storeLane(stores, url.href).catch((one: unknown) => one);
    expect(error).toMatchObject({ code, exitStatus: 2 });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("s3cret");
  });
});
