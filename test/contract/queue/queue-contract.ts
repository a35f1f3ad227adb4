import { afterEach, beforeEach, expect, test } from "vitest";
import type { QueueStore } from "../../../src/adapters/queue/index.ts";
import type { StoreAdapter } from "../../../src/model/stores/store-adapter.ts";

/** A store with an empty queue "charges", and a client of the target's own. */
export interface QueueSubject {
  readonly store: StoreAdapter & QueueStore;
  add(data: unknown): Promise<unknown>;
  /** Starts a worker that takes jobs by itself, and resolves once it is attached. */
  work(): Promise<void>;
  close(): Promise<void>;
}

/** What every store with queues has to do. To be called inside a `describe`. */
export function queueContract(open: () => Promise<QueueSubject>): void {
  let subject: QueueSubject;
  beforeEach(async () => (subject = await open()));
  afterEach(() => subject.close());

  const waiting = async (): Promise<readonly unknown[]> => (await subject.store.jobs("charges")).map(({ data }) => data);
  const add = async (...all: readonly unknown[]): Promise<void> => {
    for (const data of all) await subject.add(data);
  };

  test("workers take jobs in their order, and jobs that are done are gone", async () => {
    const { store } = subject;
    await store.root();
    await add({ n: 1 }, { n: 2 });
    expect(await waiting()).toEqual([{ n: 1 }, { n: 2 }]);
    for (const n of [1, 2]) {
      const taken = await store.take("charges");
      expect(taken?.job).toMatchObject({ queue: "charges", data: { n }, redelivered: false, state: "waiting" });
      await taken!.settle("done");
    }
    expect(await waiting()).toEqual([]);
    expect(await store.take("charges")).toBeUndefined();
  });

  test("a job whose worker vanished is the next one again, and says so", async () => {
    await subject.store.root();
    await add({ n: 1 }, { n: 2 });
    await (await subject.store.take("charges"))!.settle("lost");
    expect(await subject.store.jobs("charges")).toMatchObject([
      { data: { n: 1 }, redelivered: true },
      { data: { n: 2 }, redelivered: false },
    ]);
    expect((await subject.store.take("charges"))?.job).toMatchObject({ data: { n: 1 }, redelivered: true });
  });

  test("two workers never have the same job", async () => {
    await subject.store.root();
    await add({ n: 1 }, { n: 2 });
    const taken = await Promise.all([1, 2, 3].map(() => subject.store.take("charges")));
    expect(taken.map((one) => one?.job.data)).toEqual([{ n: 1 }, { n: 2 }, undefined]);
    expect(await waiting()).toEqual([]);
    await taken[1]!.settle("lost");
    await taken[0]!.settle("done");
    expect(await waiting()).toEqual([{ n: 2 }]);
  });

  test("a restore brings jobs back that were done, refused or lost, and removes those that came later", async () => {
    const { store } = subject;
    await store.root();
    const empty = await store.mark();
    await add({ n: 1 }, { n: 2 });
    const two = await store.mark();
    const dump = await store.dump();
    for (const how of ["done", "retry", "reject", "lost"] as const) {
      await (await store.take("charges"))!.settle(how);
      await add({ n: 3 });
      expect(await store.changed(two), how).toBe(true);
      await store.restore(two);
      expect(await store.dump(), how).toBe(dump);
      expect(await store.jobs("charges"), how).toMatchObject([{ data: { n: 1 }, redelivered: false }, { data: { n: 2 } }]);
    }
    await store.restore(empty);
    expect(await waiting()).toEqual([]);
  });

  test("a queue that does not exist is an error that names those that do", async () => {
    await expect(subject.store.take("chargse")).rejects.toMatchObject({
      code: "QUEUE_UNKNOWN",
      message: 'The queue "chargse" does not exist.',
      hint: "The queues of the store are charges.",
    });
  });

  test("a worker of the target is an error: seqqa decides when a job runs", async () => {
    await subject.store.root();
    await subject.work();
    await expect(subject.store.root()).rejects.toMatchObject({ code: "QUEUE_HAS_WORKER", exitStatus: 2 });
    await expect(subject.store.take("charges")).rejects.toMatchObject({ code: "QUEUE_HAS_WORKER" });
  });

  test("jobs may be text or any bytes", async () => {
    await subject.store.root();
    await add("plain text", 7);
    expect(await waiting()).toEqual(["plain text", 7]);
  });
}
