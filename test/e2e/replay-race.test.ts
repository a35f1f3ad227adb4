import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { RunDocument } from "../../src/reports/index.ts";
import { emptyFolder, seqqa } from "../support/e2e.ts";

const CONFIG = ["--config", "fixtures/races/seqqa.yaml"];
let output: string;
let race: RunDocument["explorations"][number]["races"][number];

beforeAll(async () => {
  output = emptyFolder();
  const ran = await seqqa(["run", "fixtures/races", "--only", "double_refund", "--races", "--output", output], { env: { BUG: "1" } });
  expect(ran.status, ran.stderr).toBe(1);
  race = (JSON.parse(readFileSync(join(output, "results.json"), "utf8")) as RunDocument).explorations[0]!.races[0]!;
}, 120_000);

const replay = (env: Readonly<Record<string, string>>, ...more: readonly string[]): ReturnType<typeof seqqa> =>
  seqqa(["replay", race.id, "--output", output, ...CONFIG, ...more], { env });

describe("seqqa replay of a race that was found", () => {
  it("shows it again with 1", async () => {
    const { status, stdout, stderr } = await replay({ BUG: "1" });
    expect(stdout).toMatch(/^1 +pay_order +POST \/orders\/1\/pay +200 +200$/m);
    expect(stdout.match(/^2 +refund_order +POST \/orders\/1\/refund +200 +200$/gm)).toHaveLength(2);
    expect(stdout).toMatch(/^Still fails: \d+ of \d+ trials? showed the race\.$/m);
    expect([status, stderr]).toEqual([1, ""]);
  });

  it("ends with 0 when it was mended", async () => {
    const { status, stdout, stderr } = await replay({});
    expect(stdout).toMatch(/^Gone: none of \d+ trials? showed the race/m);
    expect([status, stderr]).toEqual([0, ""]);
  });

  it("stops before the calls, with the world as the prefix leaves it", async () => {
    const { status, stdout } = await replay({ BUG: "1" }, "--from-step", "2");
    expect(stdout).toMatch(/^The target and its stores are in the state before step 2 \(refund_order \|\| refund_order\):\n {2}http:/m);
    expect(status).toBe(1);
  });

  it("is read back from the store as it stands in results.json, its script, too", async () => {
    const { stdout } = await seqqa(["report", "--output", "-", "--format", "json", ...CONFIG], {
      env: { SEQQA_REPORT_OUTPUT_DIR: output },
    });
    expect((JSON.parse(stdout) as RunDocument).explorations[0]!.races).toEqual([race]);
    expect((await replay({}, "--emit", "curl")).stdout).toBe(race.curl);
  });
});
