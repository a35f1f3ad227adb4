import { afterEach, expect, it, vi } from "vitest";

afterEach(() => {
  vi.doUnmock("bullmq");
  vi.doUnmock("ioredis");
  vi.resetModules();
});

const load = async (): Promise<unknown> => {
  const { loadQueue } = await import("../../../../src/lane-pools/cluster/load-queue.ts");
  return loadQueue();
};

it("loads both packages", async () => {
  expect(Object.keys((await load()) as object)).toEqual(["bullmq", "Redis"]);
});

it.each([
  [["bullmq"], "bullmq"],
  [["ioredis"], "ioredis"],
  [["bullmq", "ioredis"], "bullmq ioredis"],
])("says what to install without %s", async (missing, install) => {
  vi.resetModules();
  for (const name of missing) {
    vi.doMock(name, () => {
      throw new Error(`Cannot find package '${name}'`);
    });
  }
  await expect(load()).rejects.toMatchObject({
    code: "DRIVER_MISSING",
    exitStatus: 2,
    hint: `Run in your project: npm install --save-dev ${install}`,
  });
});
