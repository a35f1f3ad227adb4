import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folderWith, seqqa } from "../../support/cli-harness.ts";

it("a journey that is named in a folder that cannot be read is not found, like any other", async () => {
  const cwd = folderWith({ "seqqa.yaml": "" });
  // A link to itself cannot be read by root either, whom tests in containers run as.
  symlinkSync("closed", join(cwd, "closed"));
  const journeys = () => ({ journeys: [{ name: "log in", file: join(cwd, "journeys/0.ts"), steps: 1 }], unusable: [] });
  expect(await seqqa(["run", "closed/log"], { cwd, journeys })).toMatchObject({
    status: 2,
    stderr: "error: Journey not found: neither a journey nor a directory is named closed/log.\nhint: Journeys in journeys: log in.\n",
  });
});
