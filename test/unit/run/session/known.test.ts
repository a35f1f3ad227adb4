import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Config } from "../../../../src/config/index.ts";
import { Known, marked } from "../../../../src/run/session/known.ts";
import { race } from "../../../support/race.ts";
import { result, violation } from "../../../support/results.ts";

it("a stored mark goes with the finding's entry, and with the list", () => {
  const folder = mkdtempSync(join(tmpdir(), "seqqa-known-"));
  writeFileSync(join(folder, "known.yaml"), "- b2\n- r2\n");
  const list = Known.read({ knownFindings: join(folder, "known.yaml") } as Config, false, folder);
  const stored = result({
    violations: [violation({ id: "a1", known: true }), violation({ id: "b2" })],
    races: [race({ id: "r1", known: true }), race({ id: "r2" })],
  });
  const marks = (known: Known | undefined): readonly unknown[] => {
    const { violations, races } = marked(stored, known);
    return [...violations, ...races].map((one) => [one.id, one.known, String(one).includes("(known)")]);
  };
  expect(marks(list)).toEqual([
    ["a1", undefined, false],
    ["b2", true, true],
    ["r1", undefined, false],
    ["r2", true, true],
  ]);
  expect(marks(undefined).flat()).not.toContain(true);
});
