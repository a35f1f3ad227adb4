import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { Changes } from "../../../../src/cli/watch/changes.ts";
import { folderWith } from "../../../support/cli-harness.ts";

it("a source that a build writes last does not shorten the wait for the rest of the build", async () => {
  const folder = realpathSync(folderWith({ ".next/app.js": "0" }));
  mkdirSync(join(folder, "types"));
  const changes = await Changes.in({ folders: [folder], files: [], withoutBuilds: false }, join(folder, "reports"));
  onTestFinished(() => changes.close());
  const waits: (number | undefined)[] = [];
  const real = setTimeout;
  // The wait for a build must not end before the second change is heard.
  const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(((callback: () => void, ms?: number) => {
    waits.push(ms);
    return real(callback, ms === 2_000 ? 60_000 : ms);
  }) as typeof setTimeout);
  onTestFinished(() => spy.mockRestore());
  for (const name of [".next/app.js", "types/routes.ts"]) {
    writeFileSync(join(folder, name), "1");
    await vi.waitFor(() => expect(changes.differing(true)).toContain(join(folder, name)), { timeout: 20_000, interval: 20 });
  }
  expect(waits).toContain(2_000);
  expect(waits).not.toContain(150);
});
