import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full, size } from "../sizes.ts";
import { documentOf, emptyFolder, folderWith, linkPackages, only, root, seqqa, type Explored } from "../support/e2e.ts";

/** The explorations of the fixtures that run on their own configuration without a defect; the first ones in the quick suite. */
const QUICK = ["login", "shop"];
const FIXTURES = [
  ...QUICK,
  "own-triggers",
  "double-delete",
  "stale-read",
  "ledger",
  "stock",
  "order-model",
  "order-dependent",
  "deep",
  "uuid-creates",
  "times",
  "idempotency",
  "replace-upsert",
];

/** Rules that take no arguments, over what a fixture does already. */
const exploration = (fixture: string): string => `
import { Agent } from "seqqa";
import { createdMeansAvailable, idempotent, noServerErrors, rejectedMeansUnchanged, retrySafe, useAfterFree } from "seqqa/rules";
import { agent as own } from ${JSON.stringify(join(root, `fixtures/${fixture}/${fixture}.explore.ts`))};
const invariants = [createdMeansAvailable(), idempotent(), noServerErrors(), rejectedMeansUnchanged(), retrySafe(), useAfterFree()];
export const agent = new Agent({ ...own, name: "ruled", invariants });
`;

async function ruled(fixture: string, env: Readonly<Record<string, string>> = {}): Promise<Explored> {
  const folder = folderWith({ "ruled.explore.ts": exploration(fixture) });
  linkPackages(folder, "seqqa");
  const config = join(root, `fixtures/${fixture}/seqqa.yaml`);
  const steps = String(size(40, 3000));
  const command = ["run", folder, "--config", config, "--max-steps", steps, "--reporter", "json", "--output", emptyFolder()];
  const ran = await seqqa(command, { cwd: folder, env });
  expect(ran.stderr).toBe("");
  return only(documentOf(ran));
}

describe("rules without arguments", () => {
  it.each(full ? FIXTURES : QUICK)("find nothing in %s", async (fixture) => {
    const result = await ruled(fixture);
    expect(result).toMatchObject({ violations: [], errors: [], divergences: [] });
    expect(result.steps).toBeGreaterThan(0);
  });

  it("find a payment that a retry makes again", async () => {
    const { violations } = await ruled("idempotency", { BUG: "1" });
    expect(violations.map(({ invariant, confirmed }) => [invariant, confirmed])).toContainEqual(["retry_safe", true]);
  });

  it("find names of what comes next, which RFC 9110 does not let a DELETE have", async () => {
    const { violations } = await ruled("autoincrement");
    expect(new Set(violations.map(({ invariant }) => invariant))).toEqual(new Set(["idempotent"]));
    expect(violations[0]?.message).toMatch(
      /^close_(?:first|last): DELETE \/tickets\/(?:first|last) was sent again and answered 204, and the second request changed the stores/,
    );
  });

  // In the quick suite e2e/rules-new-ids has a call that is not idempotent.
  it.runIf(full)("find a file that is deleted twice", async () => {
    const { violations } = await ruled("double-delete", { BUG: "1" });
    expect(violations.map(({ invariant, confirmed }) => [invariant, confirmed])).toContainEqual(["idempotent", true]);
  });
});
