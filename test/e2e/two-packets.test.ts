import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { laneCounts, size } from "../sizes.ts";
import { documentOf, emptyFolder, only, seqqa } from "../support/e2e.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const STEPS = String(size(25, 400));

/** Explores a part of the ledger's Python server. `writes`: how many writes send an answer. */
async function explored(writes: "1" | "2", ...args: readonly string[]) {
  const command = ["run", "fixtures/ledger", "--only", "ledger", "--config", "fixtures/ledger/python.yaml", "--max-steps", STEPS];
  const ran = await seqqa([...command, "--output", emptyFolder(), ...args], { env: { WRITES: writes, BUG: "1" } });
  return ran;
}

async function result(writes: "1" | "2", lanes: string) {
  const ran = await explored(writes, "--reporter", "json", "--parallel", lanes);
  expect(ran.stderr).toBe("");
  const { notes, digest, steps, errors, divergences, violations } = only(documentOf(ran));
  expect({ errors, divergences, steps }).toEqual({ errors: [], divergences: [], steps: Number(STEPS) });
  return { digest, status: ran.status, found: violations.length, notes: notes.filter((note) => note.includes("two packets")) };
}

describe.skipIf(!hasPython)("a target in Python (skipped where there is no python3)", () => {
  it.each(laneCounts)("that answers in two packets: a note, and the digest of one that answers in one (%s lanes)", async (lanes) => {
    const once = await result("1", lanes);
    const twice = await result("2", lanes);
    expect(once.notes).toEqual([]);
    expect(twice.notes).toEqual([
      expect.stringMatching(/^The target sends each answer in two packets, .* new connection for each request/),
    ]);
    expect({ ...twice, notes: [] }).toEqual(once);
  });

  it("says so on the console, once", async () => {
    const { stdout } = await explored("2", "--max-steps", "10");
    expect(stdout.match(/two packets/g)).toHaveLength(1);
  });
});
