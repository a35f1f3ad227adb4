import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { loadConfig } from "../../../../src/config/index.ts";
import { configRows } from "../../../../src/run-log/index.ts";

const folder = mkdtempSync(join(tmpdir(), "seqqa-unit-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(["plain-secret", "it's secret", 'say "secret"', "two secret words", "at@secret@", "100%secret", "sécret"])(
  "the configuration of a run has nothing of a password such as %s",
  (password) => {
    const file = join(folder, "seqqa.yaml");
    const url = `postgres://ann:${password}@127.0.0.1:5432/shop_test`;
    writeFileSync(file, JSON.stringify({ base_url: "http://h", db_url: url, systems: { other: { url } } }));
    const rows = configRows(loadConfig({ file, env: {}, cwd: folder }));
    const shown = rows.filter(({ value }) => value.includes("shop_test"));
    expect(shown.map(({ key }) => key)).toEqual(["db_url", "systems.other.url", "systems.db.url"]);
    for (const { value } of shown) expect(JSON.parse(value)).toBe("postgres://***@127.0.0.1:5432/shop_test");
    expect(rows.map(({ key }) => key)).not.toContain("allowed_stores");
  },
);

it("the configuration of a run has nothing of what target.warm_up sends but the names", () => {
  const file = join(folder, "seqqa.yaml");
  const sent = { headers: { "x-key": "hidden 1" }, json: { note: "hidden 2" } };
  const warm_up = [
    { method: "POST", path: "/setup", ...sent },
    { method: "POST", path: "/text", json: "hidden 3" },
  ];
  writeFileSync(file, JSON.stringify({ target: { command: "node server.mjs", warm_up } }));
  const rows = configRows(loadConfig({ file, env: {}, cwd: folder }));
  expect(JSON.stringify(rows)).not.toContain("hidden");
  const kept = JSON.parse(rows.find(({ key }) => key === "target.warm_up")!.value) as readonly object[];
  expect(kept[1]).not.toHaveProperty("headers");
  expect(kept).toMatchObject([
    { path: "/setup", headers: ["x-key"], json: ["note"] },
    { path: "/text", json: null },
  ]);
});
