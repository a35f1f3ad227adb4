import type * as FileSystem from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { folderWith, seqqa } from "./harness.ts";

// The rights of a folder would say nothing to root, whom tests in containers run as.
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof FileSystem>();
  const readdirSync = ((path: string, ...more: never[]) => {
    if (path.endsWith("closed")) throw Object.assign(new Error(`EACCES: permission denied, scandir '${path}'`), { code: "EACCES" });
    return (fs.readdirSync as (...all: unknown[]) => unknown)(path, ...more);
  }) as typeof fs.readdirSync;
  return { ...fs, default: { ...fs, readdirSync }, readdirSync };
});

it("a journey that is named in a folder that cannot be read is not found, like any other", async () => {
  const cwd = folderWith({ "seqqa.yaml": "", "closed/pay.ts": "" });
  const journeys = () => ({ journeys: [{ name: "log in", file: join(cwd, "journeys/0.ts"), steps: 1 }], unusable: [] });
  expect(await seqqa(["run", "closed/log"], { cwd, journeys })).toMatchObject({
    status: 2,
    stderr: "error: Journey not found: closed/log, and there is no directory closed/log.\nhint: Journeys in journeys: log in.\n",
  });
});
