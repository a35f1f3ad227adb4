import { describe, expect, it } from "vitest";
import { queueActions, type QueueStore, type Settlement } from "../../../../src/adapters/queue/index.ts";
import { ApiResponse } from "../../../../src/adapters/http/index.ts";
import { World, type Action } from "../../../../src/index.ts";

type Run = Parameters<typeof queueActions>[1]["run"];

/** A store with one job, and what became of it. */
function oneJob(redelivered = false): { readonly store: QueueStore; readonly settled: Settlement[] } {
  const settled: Settlement[] = [];
  const job = { queue: "mails", id: "1", name: "welcome", data: { to: "ann" }, headers: {}, redelivered, state: "waiting" } as const;
  const store: QueueStore = {
    jobs: async () => (settled.length === 0 ? [job] : []),
    take: async () => (settled.length === 0 ? { job, settle: async (how) => void settled.push(how) } : undefined),
  };
  return { store, settled };
}

function executed(store: object, run: Run, settle?: (response: ApiResponse) => "done" | "retry" | "reject") {
  const world = new World({ api: {} as never, systems: { jobs: store as never } });
  const actions = queueActions("jobs", { queue: "mails", run, ...(settle !== undefined && { settle }) });
  const named = (name: string): Action => actions.find((action) => action.name === name)!;
  return (name: string) => named(name).run(world.api as never, world.context as never);
}

const answering = (...statuses: readonly number[]): { readonly run: Run; readonly calls: unknown[] } => {
  const calls: unknown[] = [];
  return { calls, run: async (_api, job) => ApiResponse.of(statuses[calls.push(job.data) - 1] ?? statuses.at(-1)!) };
};

describe("actions of workers", () => {
  it.each([
    ["mails_next", [200], ["done"], 1],
    ["mails_next", [302], ["done"], 1],
    ["mails_next", [409], ["retry"], 1],
    ["mails_twice", [200, 200], ["done"], 2],
    ["mails_twice", [200, 500], ["retry"], 2],
    ["mails_twice", [409], ["retry"], 1],
    ["mails_lost", [200], ["lost"], 1],
    ["mails_lost", [500], ["lost"], 1],
  ] as const)("%s with the answers %j ends as %j after %d executions", async (name, statuses, ends, count) => {
    const { store, settled } = oneJob();
    const { run, calls } = answering(...statuses);
    expect((await executed(store, run)(name))?.status).toBe(statuses.at(-1));
    expect(settled).toEqual(ends);
    expect(calls).toEqual(Array.from({ length: count }, () => ({ to: "ann" })));
  });

  it.each(["mails_next", "mails_twice", "mails_lost"])("%s gives the job back if the worker's code throws", async (name) => {
    const { store, settled } = oneJob();
    const run = async (): Promise<never> => Promise.reject(new Error("no worker"));
    await expect(executed(store, run)(name)).rejects.toThrow("no worker");
    expect(settled).toEqual(["lost"]);
  });

  it("a function of the user decides how a job ends", async () => {
    const { store, settled } = oneJob();
    await executed(store, answering(422).run, () => "reject")("mails_next");
    expect(settled).toEqual(["reject"]);
  });

  it("none applies without a job, and a job is lost once", async () => {
    const { store, settled } = oneJob(true);
    const { run, calls } = answering(200);
    const execute = executed(store, run);
    expect(await execute("mails_lost")).toBeNull();
    await execute("mails_next");
    for (const name of ["mails_next", "mails_twice", "mails_lost"]) expect(await execute(name)).toBeNull();
    expect([settled, calls.length]).toEqual([["done"], 1]);
  });

  it("a run without a response, and a store without queues, are errors in one sentence", async () => {
    const { store } = oneJob();
    await expect(executed(store, (async () => undefined) as never)("mails_next")).rejects.toMatchObject({
      code: "QUEUE_RUN_RESULT",
      message: 'The function `run` of queueActions for the queue "mails" returned no response.',
    });
    await expect(executed({}, answering(200).run)("mails_next")).rejects.toMatchObject({
      code: "QUEUE_STORE",
      message: "An action uses systems.jobs as a queue, but this store has no queues.",
    });
  });
});
