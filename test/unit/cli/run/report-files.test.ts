import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FILE_HINT, writing } from "../../../../src/cli/run/report-files.ts";
import { OWN_ONLY, writeWhole } from "../../../../src/run-log/index.ts";
import { folderWith } from "../../../support/cli-harness.ts";

it.each([
  ["out", "because this path is a folder."],
  ["file/report.html", "because a part of this path is a file and not a folder."],
])("says why %s cannot be written, and that --output is a file", (path, why) => {
  const cwd = folderWith({});
  mkdirSync(join(cwd, "out"));
  writeFileSync(join(cwd, "file"), "");
  const file = join(cwd, path);
  expect(() => writing(file, () => writeWhole(file, ["x"], OWN_ONLY), FILE_HINT)).toThrow(
    expect.objectContaining({ message: `seqqa cannot write the report to ${file}, ${why}`, hint: FILE_HINT }),
  );
});
