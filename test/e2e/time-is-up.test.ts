import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { laneCounts } from "../sizes.ts";
import { folderWith, only, seqqa, start, until, writtenIn } from "../support/e2e.ts";
import { NOTES_CONFIG, NOTES_SERVER, notesExploration } from "../support/e2e-servers.ts";

/** `/hang` is never answered. */
const SERVER = NOTES_SERVER.replace(
  "createServer((request, response) => {",
  `createServer((request, response) => {
  if (request.url === "/hang") return;`,
);
const HANG = `new Action({ name: "hang", run: async (api) => api.get("/hang") }),`;
const hanging = (timeout: number): string =>
  folderWith({
    "seqqa.yaml": `timeout: ${timeout}\n${NOTES_CONFIG}`,
    "server.mjs": SERVER,
    "notes.explore.ts": notesExploration({ actions: HANG }),
  });

describe("a target that hangs, with less time than its requests may take", () => {
  it.each(laneCounts)("is a finding that was not replayed, and the run ends soon, with --parallel %s", async (parallel) => {
    const cwd = hanging(30);
    const begun = performance.now();
    const ran = await seqqa(["run", ".", "--parallel", parallel, "--max-time", "2", "--output", "out"], { cwd });
    expect(performance.now() - begun).toBeLessThan(25_000);
    expect(ran.status).toBe(3);
    const { violations, stopReason } = only(writtenIn(join(cwd, "out")));
    expect(stopReason).toBe("max_time");
    expect(violations).toMatchObject([{ invariant: "hang_timeout", confirmed: false, notReplayed: true, reproductionPath: ["hang"] }]);
    expect(violations[0]!.message).toMatch(
      /^A request timed out once during hang, not confirmed: the time was up\. GET .*\/hang got no answer/,
    );
    expect(ran.stdout).toContain("[HIGH] hang_timeout (not replayed");
    expect(ran.stdout).not.toContain("flaky");
  });

  it("is confirmed where the time allows it", async () => {
    const ran = await seqqa(["run", ".", "--max-time", "2", "--output", "out"], { cwd: hanging(1.5) });
    expect([ran.status, ran.stdout]).toEqual([1, expect.stringContaining("hang got no answer in time, and again from a clean start")]);
  });
});

describe("a run that is interrupted while findings are replayed", () => {
  it("reports its exploration, as interrupted, with findings that were not replayed", async () => {
    // From its second start on the target comes up slowly, so that findings wait for a lane.
    const slow = `import { existsSync, writeFileSync } from "node:fs";
if (existsSync("started")) {
  writeFileSync("again", "");
  await new Promise((resolve) => setTimeout(resolve, 3000));
}
writeFileSync("started", "");
${SERVER}`;
    const cwd = folderWith({
      "seqqa.yaml": NOTES_CONFIG,
      "server.mjs": slow,
      "notes.explore.ts": notesExploration({
        invariants: `new Invariant({ name: "few", check: async (world) => (await world.api.get("/notes")).json<unknown[]>().length < 2 })`,
      }),
    });
    const { child, ended } = start(["run", ".", "--parallel", "1", "--output", "out"], { cwd });
    await until(() => existsSync(join(cwd, "again")), "findings are replayed");
    child.kill("SIGINT");
    const { status, stdout } = await ended;
    expect(status).toBe(130);
    const explored = only(writtenIn(join(cwd, "out")));
    expect(explored).toMatchObject({ stopReason: "interrupted", violations: [{ invariant: "few", confirmed: false, notReplayed: true }] });
    expect(stdout).toContain("[HIGH] few (not replayed");
    expect(stdout).toMatch(/^ {2}stopped +interrupted$/m);
  });
});
