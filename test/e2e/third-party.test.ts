import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyFolder, folderWith, linkPackages, only, root, seqqa, writtenIn, type Explored } from "../support/e2e.ts";

async function explored(
  bug: string,
  parallel = "1",
): Promise<{ readonly status: number | null; readonly found: Explored; readonly stderr: string }> {
  const folder = emptyFolder();
  const args = ["run", join(root, "fixtures/third-party"), "--output", folder, "--parallel", parallel];
  const { status, stderr } = await seqqa(args, { env: { BUG: bug } });
  return { status, stderr, found: only(writtenIn(folder)) };
}

describe("third parties as stores", () => {
  it("a correct API bears faults of its provider, webhooks that are late or come twice, with one digest for every number of lanes", async () => {
    const runs = [];
    for (const parallel of ["1", "2"]) runs.push(await explored("", parallel));
    for (const { status, found } of runs) {
      expect(found.violations).toEqual([]);
      expect(found.divergences).toEqual([]);
      expect(found.verdict.text).toContain("exhaustive");
      expect(status).toBe(0);
    }
    expect(new Set(runs.map(({ found }) => found.digest)).size).toBe(1);
  });

  it.each([
    ["retry", "one_charge", "create confirm payments_no_answer pay"],
    ["trusting", "paid_is_charged", "create confirm payments_error pay"],
    ["webhook", "credited_once", "create confirm pay payments_webhook payments_webhook_again"],
  ])("the defect %s breaks %s after %s", async (bug, invariant, path) => {
    const { status, found } = await explored(bug);
    expect(found.violations[0]).toMatchObject({ invariant, reproductionPath: path.split(" "), confirmed: true });
    expect(status).toBe(1);
  });

  it.each([
    ["stub://ftp", 'The url of systems.mail is "stub://ftp", which is not a valid stub URL.'],
    ["stub:http", "systems.mail.url is"],
  ])("the url %s is refused in one sentence", async (url, sentence) => {
    const folder = folderWith({
      "seqqa.yaml": `systems: { mail: { url: "${url}" } }\ntarget: { command: node server.mjs }\n`,
      "one.explore.ts":
        'import { Action, Agent } from "seqqa";\nexport const agent = new Agent({ name: "one", actions: [new Action({ name: "a", run: async (api) => api.get("/") })], invariants: [] });\n',
    });
    linkPackages(folder, "seqqa");
    const { status, stderr } = await seqqa(["run", "."], { cwd: folder });
    expect(stderr).toContain(sentence);
    expect(status).toBe(2);
  });
});
