import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { newRunId, readRun, saveRun } from "../../../src/store/index.ts";

const folder = mkdtempSync(join(tmpdir(), "seqqa-runs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const text = (n: number): string => JSON.stringify({ n, explorations: [], journeys: [], failures: [] });

describe("the runs that are kept", () => {
  const ids = Array.from({ length: 23 }, (_, n) => newRunId(new Date(Date.UTC(2026, 0, 1, 0, 0, n % 2, n))));

  it("are the newest 20, by the time in their ids, and nothing else is touched", () => {
    writeFileSync(join(folder, "mine.json"), "");
    const out = join(folder, "reports");
    ids.forEach((id, n) => saveRun(out, id, text(n)));
    writeFileSync(join(out, "runs/notes.json"), "mine");
    saveRun(out, ids[0]!, text(0));
    const kept = readdirSync(join(out, "runs")).filter((name) => name !== "notes.json");
    expect(kept).toEqual(
      ids
        .toSorted()
        .slice(-20)
        .map((id) => `${id}.json`),
    );
    expect(readdirSync(join(out, "runs"))).toContain("notes.json");
    expect(readRun(out, undefined).id).toBe(ids.toSorted().at(-1));
    expect(readRun(out, ids[22])).toEqual({ id: ids[22], document: JSON.parse(text(22)) });
  });

  it.each([
    ["half a document", '{"explorations": [', /cannot be read: it is not JSON\.$/],
    ["another document", "[1]", /it is no document of a run\.$/],
    ["null", "null", /cannot be read: /],
  ])("%s is refused", (_what, content, says) => {
    const out = join(folder, "broken");
    const id = newRunId(new Date());
    saveRun(out, id, content);
    expect(() => readRun(out, id)).toThrow(expect.objectContaining({ exitStatus: 2, message: expect.stringMatching(says) as string }));
  });

  it("an id is no path", () => {
    expect(() => readRun(folder, "../mine")).toThrow(/There is no run in/);
  });
});
