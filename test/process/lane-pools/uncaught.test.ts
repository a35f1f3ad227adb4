import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const SOURCE = fileURLToPath(new URL("../../../src/lane-pools/uncaught.ts", import.meta.url));
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "seqqa-uncaught-"));
  buildSync({ entryPoints: [SOURCE], outfile: join(folder, "uncaught.mjs"), format: "esm", bundle: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A process of its own, as the test runner listens here itself: what it took, and how it ended. */
function thrownIn(
  file: string,
  thrown: string,
  taken = true,
): { readonly status: number | null; readonly out: string; readonly error: string } {
  writeFileSync(join(folder, file), `export const tick = () => setTimeout(() => { throw ${thrown}; }, 1);`);
  writeFileSync(
    join(folder, "main.mjs"),
    `import { takeUncaught } from "./uncaught.mjs"; import { tick } from "./${file}";
    takeUncaught((error) => { console.log("took", String(error)); return ${taken}; });
    tick(); setTimeout(() => console.log("went on"), 100);`,
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, "main.mjs")], { encoding: "utf8" });
  return { status, out: stdout, error: stderr };
}

describe("what nobody caught", () => {
  it.each([
    ["an error of the user's bundle", 'new Error("boom")', "took Error: boom\nwent on\n"],
    ["text", '"boom"', "took boom\nwent on\n"],
  ])("%s is the lane's", (_what, thrown, out) => {
    expect(thrownIn("shop-ABC.seqqa.mjs", thrown)).toEqual({ status: 0, out, error: "" });
  });

  it("a defect of seqqa's own stays fatal, also when its message speaks of a bundle", () => {
    const { status, out, error } = thrownIn("own.mjs", 'new TypeError("at x (/shop.seqqa.mjs:1:2)")');
    expect({ status, out }).toEqual({ status: 1, out: "" });
    expect(error).toContain("TypeError: at x");
  });

  it("an error before there is a lane stays fatal", () => {
    const { status, error } = thrownIn("shop-ABC.seqqa.mjs", 'new Error("boom")', false);
    expect(status).toBe(1);
    expect(error).toContain("Error: boom");
  });
});
