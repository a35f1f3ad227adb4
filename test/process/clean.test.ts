import { expect, it } from "vitest";
import { clean } from "../../src/run/clean.ts";
import { loadConfig } from "../../src/config/index.ts";
import { folderWith } from "../support/cli-harness.ts";

it("cleans every store, also after one that fails", async () => {
  const store = (body: string): string => `
    const methods = ["open", "root", "mark", "changed", "restore", "observe", "dump", "close"].map((name) => [name, () => {}]);
    const adapter = { ...Object.fromEntries(methods), name: "mine", traits: {} };
    export default { open: () => adapter, stores: { clean: async () => { ${body} } } };`;
  const folder = folderWith({
    "bad.mjs": store('throw new Error("no answer")'),
    "good.mjs": store('return { removed: ["a thing"], notAllowed: ["another"], failures: [new Error("half")] }'),
    "seqqa.yaml":
      "base_url: http://localhost:1\nsystems:\n  bad: { adapter: ./bad.mjs, url: 'a://localhost/b_test' }\n  good: { adapter: ./good.mjs, url: 'a://localhost/c_test' }\n",
  });
  const { removed, notAllowed, failures } = await clean(loadConfig({ directory: folder, cwd: folder, env: {} }), { dryRun: true });
  expect(removed).toContain("a thing");
  expect(notAllowed).toEqual(["another"]);
  expect(failures.map((error) => (error as Error).message)).toEqual(["no answer", "half"]);
});
