import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { loadConfig } from "../../../../src/config/index.ts";
import { comparableConfig } from "../../../../src/run/resume/comparable-config.ts";

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** What is compared, its values as they are. */
function comparable(text: string, env: Readonly<Record<string, string>> = {}): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "seqqa-comparable-"));
  folders.push(folder);
  writeFileSync(join(folder, "seqqa.yaml"), text);
  return comparableConfig(loadConfig({ directory: folder, cwd: folder, env }), (value) => value);
}

const PLAIN = "target: { command: node server.mjs, env: { BUG: '${BUG:-}' } }\n";

it("is the same in another folder, with other lanes, budgets, reports, seeds, and targets that are elsewhere", () => {
  const plain = comparable(PLAIN);
  const others = [
    "parallel: 4\n",
    "exploration: { max_steps: 7, seed: 3, strategy: dfs, rate_limit: 5 }\n",
    "report: { output_dir: elsewhere, formats: [junit] }\n",
    "services: [{ name: mailer, command: node mailer.mjs, env: { TOKEN: x } }]\n",
    "fail_on_severity: high\n",
  ];
  for (const more of ["", ...others]) expect(comparable(PLAIN + more)).toEqual(plain);
  const at = (host: string): ReadonlyMap<string, string> =>
    comparable(`base_url: http://${host}:3000\nsystems: { db: { url: "postgresql://${host}/test" } }\n`);
  expect(at("one.test")).toEqual(at("two.test"));
});

it("differs in what an outcome may depend on, by its key", () => {
  const plain = comparable(PLAIN);
  const differing = (other: ReadonlyMap<string, string>): readonly string[] =>
    [...new Set([...plain.keys(), ...other.keys()])].filter((key) => plain.get(key) !== other.get(key));
  expect(differing(comparable(`${PLAIN}timeout: 7\n`))).toEqual(["timeout"]);
  expect(differing(comparable(PLAIN, { BUG: "1" }))).toEqual(["target.env.BUG"]);
  expect(differing(comparable(PLAIN.replace("server", "other")))).toEqual(["target.command"]);
  expect(differing(comparable(`${PLAIN}exploration: { server_errors: ignore }\n`))).toEqual(["exploration.server_errors"]);
});
