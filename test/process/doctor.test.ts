import { expect, test } from "vitest";
import { doctor } from "../../src/run/doctor.ts";
import { loadConfig } from "../../src/config/index.ts";
import { folderWith } from "../support/cli-harness.ts";

test.each([
  ["base_url: http://localhost:1", { inPlace: true, inProcess: false }],
  ["target: { command: node x.js }", { inPlace: false, inProcess: false }],
  ["target: { module: ./store.mjs }", { inPlace: false, inProcess: true }],
  ["report: { output_dir: x }", { inPlace: true, inProcess: true }],
  ["target: { command: node without-copies.js }", { inPlace: true, inProcess: false }],
])("a store's check is told how runs use the store: %s", async (line, use) => {
  const copies = !line.includes("without-copies");
  const folder = folderWith({
    "store.mjs": `
      const methods = ["open", "root", "mark", "changed", "restore", "observe", "dump", "close"].map((name) => [name, () => {}]);
      const adapter = { ...Object.fromEntries(methods), name: "mine", traits: {} };
      const check = async (url, use) => [{ ok: false, what: "use", says: JSON.stringify(use) }];
      export default { open: () => adapter, stores: { check, ...(${copies} ? { createProvider() {} } : {}) } };`,
    "seqqa.yaml": `${line}\nsystems:\n  db: { adapter: ./store.mjs, url: "a://localhost/test" }\n`,
  });
  const checks = await doctor(loadConfig({ directory: folder, cwd: folder, env: {} }));
  expect(checks.filter(({ what }) => what === "db: use").map(({ says }) => JSON.parse(says) as unknown)).toEqual([use]);
});
