import { expect, it } from "vitest";
import { statesNamed } from "../../../../src/cli/arguments/states-named.ts";
import type { StatesOfRun } from "../../../../src/run-log/index.ts";
import { folderWith } from "../../../support/cli-harness.ts";

it("an exploration is found by its file from any folder, and not by a file with the same path in another folder", () => {
  const root = folderWith({ "a/qa/shop.explore.ts": "", "b/qa/shop.explore.ts": "" });
  const run = [{ name: "shop", file: "qa/shop.explore.ts" } as StatesOfRun] as const;
  const named = (file: string, cwd: string): readonly StatesOfRun[] =>
    statesNamed(file, "run", run, { folder: "..", outputDir: `${root}/a/reports`, cwd: `${root}/${cwd}` });
  expect(named("../a/qa/shop.explore.ts", "b")).toEqual(run);
  expect(named("qa/shop.explore.ts", "a")).toEqual(run);
  expect(named("shop", "b")).toEqual(run);
  expect(() => named("qa/shop.explore.ts", "b")).toThrow('Run run has no exploration named "qa/shop.explore.ts".');
});
