import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AckPolicy, jetstream, jetstreamManager, RetentionPolicy } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { NatsAdapter } from "../../../../src/adapters/queue/index.ts";
import { connectNats } from "../../../../src/adapters/queue/nats/connect.ts";
import { stores } from "../../../../src/adapters/queue/nats/index.ts";
import { queueContract, type QueueSubject } from "../../../contract/queue/queue-contract.ts";
import { storeLane } from "../../../support/queue-lane.ts";
import { freePort, program } from "../../../support/services/service.ts";
import { natsUrl } from "../../../support/services.ts";
import { until } from "../../../support/e2e.ts";

let server: string;
beforeAll(async () => {
  server = await natsUrl();
});

async function client(url: string) {
  const connection = await connect({ servers: new URL(url).host, reconnect: false });
  return { connection, manager: await jetstreamManager(connection), publish: jetstream(connection).publish.bind(jetstream(connection)) };
}

async function lane(template = server) {
  const made = await storeLane(stores, template);
  const ours = await client(made.url);
  const store = new NatsAdapter({ url: made.url });
  await store.open({ name: "jobs", laneIndex: 0, inProcess: false, borrowed: false });
  const close = async (): Promise<void> => {
    await store.close();
    await ours.connection.close();
    await made.close();
  };
  return { ...ours, store, close, url: made.url };
}

it("logs in with the token of a URL without a password", async () => {
  const folder = mkdtempSync(join(tmpdir(), "seqqa-nats-token-"));
  const port = await freePort();
  const running = spawn(program("nats-server")!, ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", folder, "--auth", "to+ken"]);
  onTestFinished(async () => {
    const ended = once(running, "exit");
    running.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true });
  });
  let printed = "";
  running.stderr.on("data", (chunk) => (printed += chunk));
  await until(() => printed.includes("Server is ready"), "a server that is ready");
  const { connection } = await connectNats(new URL(`nats://to%2Bken@127.0.0.1:${port}`));
  await connection.close();
});

const text = (data: unknown): string => (typeof data === "string" ? data : JSON.stringify(data));

describe("queues of NATS", () => {
  queueContract(async (): Promise<QueueSubject> => {
    const { manager, connection, publish, store, close } = await lane();
    await manager.streams.add({ name: "charges", subjects: ["charges.*"], retention: RetentionPolicy.Workqueue });
    return {
      store,
      add: (data) => publish("charges.new", text(data)),
      work: async () => {
        await manager.consumers.add("charges", { durable_name: "worker", ack_policy: AckPolicy.Explicit });
        const consumer = await jetstream(connection).consumers.get("charges", "worker");
        await consumer.consume({ callback: () => undefined });
        await until(async () => (await manager.consumers.info("charges", "worker")).num_waiting > 0, "a worker that waits");
      },
      close,
    };
  });

  it("the ids of messages that a path published are refused as duplicates on this path, and on no other", async () => {
    const { manager, publish, store, close } = await lane();
    onTestFinished(close);
    await manager.streams.add({ name: "charges", subjects: ["charges"], retention: RetentionPolicy.Workqueue });
    await store.root();
    const root = await store.mark();
    await publish("charges", "1", { msgID: "order-1" });
    await (await store.take("charges"))!.settle("done");
    const done = await store.mark();
    expect(await publish("charges", "1", { msgID: "order-1" })).toMatchObject({ duplicate: true });
    await store.restore(root);
    expect(await publish("charges", "1", { msgID: "order-1" })).toMatchObject({ duplicate: false, seq: 1 });
    await store.restore(done);
    expect(await publish("charges", "1", { msgID: "order-1" })).toMatchObject({ duplicate: true });
    expect(await publish("charges", "2")).toMatchObject({ seq: 2 });
  });

  it("the entries of a key-value bucket are restored, also if a step wrote one several times", async () => {
    const { manager, publish, store, close } = await lane();
    onTestFinished(close);
    const config = {
      name: "KV_b",
      subjects: ["$KV.b.>"],
      max_msgs_per_subject: 1,
      deny_delete: true,
      allow_rollup_hdrs: true,
      allow_direct: true,
    };
    await manager.streams.add(config);
    await store.root();
    const [root, empty] = [await store.mark(), await store.observe()];
    const put = (key: string, value: string, previous?: number) =>
      publish(`$KV.b.${key}`, value, previous === undefined ? {} : { expect: { lastSubjectSequence: previous } });
    await put("cart", "1", 0);
    await put("plain", "1");
    await put("cart", "2", 1);
    await put("plain", "2");
    await put("cart", "3", 3);
    const [full, observed] = [await store.mark(), await store.observe()];
    expect(observed).toMatchObject({ value: { KV_b: { messages: [{ data: 2 }, { data: 3 }] } } });
    for (let round = 0; round < 2; round++) {
      await store.restore(root);
      expect(await store.observe()).toEqual(empty);
      expect((await manager.streams.info("KV_b")).config.deny_delete).toBe(true);
      await store.restore(full);
      expect([await store.observe(), await store.changed(full)]).toEqual([observed, false]);
      await expect(put("cart", "4", 3)).rejects.toThrow("wrong last sequence: 5");
      expect(await put("cart", "4", 5)).toMatchObject({ seq: 6 });
    }
  });

  it("a stream that keeps its messages has them after they are done, and nobody takes them again", async () => {
    const { manager, publish, store, close } = await lane();
    onTestFinished(close);
    await manager.streams.add({ name: "charges", subjects: ["charges"] });
    await store.root();
    await publish("charges", "1");
    const fresh = await store.mark();
    await (await store.take("charges"))!.settle("done");
    expect(await store.jobs("charges")).toEqual([]);
    expect((await manager.streams.info("charges")).state.messages).toBe(1);
    await store.restore(fresh);
    expect(await store.jobs("charges")).toMatchObject([{ data: 1 }]);
  });
});

describe("messages that the target takes by itself", () => {
  it("are refused while they are not confirmed, because no restore brings them back", async () => {
    const { manager, connection, publish, store, close } = await lane();
    onTestFinished(close);
    await manager.streams.add({ name: "charges", subjects: ["charges"], retention: RetentionPolicy.Workqueue });
    await manager.consumers.add("charges", { durable_name: "worker", ack_policy: AckPolicy.Explicit });
    await publish("charges", "1");
    await store.root();
    const root = await store.mark();
    const consumer = await jetstream(connection).consumers.get("charges", "worker");
    await consumer.next();
    await expect(store.observe()).rejects.toMatchObject({
      code: "QUEUE_HAS_WORKER",
      message:
        'The consumer "worker" of the target received messages of the stream "charges" and did not acknowledge them, so seqqa cannot restore them.',
    });
    await store.restore(root);
    expect(await store.observe()).toMatchObject({ value: { charges: { messages: [{ data: 1 }] } } });
    await (await (await jetstream(connection).consumers.get("charges", "worker")).next())!.ackAck();
    expect(await store.observe()).toMatchObject({ value: { charges: { messages: [] } } });
  });
});

describe("servers of lanes", () => {
  it("have the streams and durable consumers of the template, not its messages, and end with the run", async () => {
    const template = await lane();
    onTestFinished(template.close);
    await template.manager.streams.add({ name: "charges", subjects: ["charges"], retention: RetentionPolicy.Interest });
    await template.manager.consumers.add("charges", { durable_name: "worker", ack_policy: AckPolicy.Explicit });
    await template.publish("charges", "1");
    const { manager, publish, store, close, url } = await lane(template.url);
    expect(await store.jobs("charges")).toEqual([]);
    await publish("charges", "2");
    expect(await store.jobs("charges")).toMatchObject([{ data: 2 }]);
    expect(await manager.consumers.info("charges", "worker")).toMatchObject({ num_pending: 1 });
    await close();
    await expect(client(url)).rejects.toThrow();
    expect((await template.manager.streams.info("charges")).state.messages).toBe(1);
  });

  it("are checked by doctor", async () => {
    expect(await stores.check(server)).toMatchObject([
      { ok: true, what: "reachable" },
      { ok: true, what: "isolation" },
    ]);
  });
});
