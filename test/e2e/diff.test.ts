import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { emptyFolder, folderWith, seqqa } from "../support/e2e.ts";

it("seqqa diff compares runs of the run log and files", { timeout: 60_000 }, async () => {
  const output = emptyFolder();
  const run = (bug: string) => seqqa(["run", "fixtures/order-dependent", "--output", output], { env: { BUG: bug } });
  expect((await run("")).status).toBe(0);
  const base = join(emptyFolder(), "base.json");
  copyFileSync(join(output, "results.json"), base);
  expect((await run("crash")).status).toBe(1);
  const config = join(folderWith({ "seqqa.yaml": `report: { output_dir: ${JSON.stringify(output)} }` }), "seqqa.yaml");
  const stores = readdirSync(join(output, "runs")).filter((name) => name.endsWith(".db"));
  const [first, second] = stores.map((name) => name.slice(0, -".db".length));
  const diff = (...args: readonly string[]) => seqqa(["diff", ...args, "--config", config]);
  expect(await diff(base, first!)).toMatchObject({ status: 0, stdout: "", stderr: "" });
  for (const args of [[first!], [first!, second!], ["--against", "main", "--baseline", base]]) {
    const { status, stdout } = await diff(...args);
    expect([status, stdout]).toEqual([1, expect.stringContaining("! checkout_server_error: no longer holds (high)")]);
    expect(stdout).toContain(
      "answers 500 instead of 200 in 2 states; it changes nothing, and changed the state before\n        apply_coupon -> add_item -> checkout",
    );
  }
});
