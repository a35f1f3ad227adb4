import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadConfig, type Config } from "../../../../src/config/index.ts";
import { environmentRows, otherValues } from "../../../../src/run-log/rows/environment-rows.ts";

const folder = mkdtempSync(join(tmpdir(), "seqqa-unit-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const config = (target: Readonly<Record<string, string>>, mailer: Readonly<Record<string, string>> = {}): Config => {
  const file = join(folder, "seqqa.yaml");
  const service = { name: "mailer", command: "node mailer.mjs", env: mailer };
  writeFileSync(file, JSON.stringify({ target: { command: "node server.mjs", env: { PORT: "{port}", ...target } }, services: [service] }));
  return loadConfig({ file, env: {}, cwd: folder });
};

describe("variables of the environment in a store", () => {
  const given = config({ TOKEN: "a secret", EMPTY: "" }, { TOKEN: "a secret" });
  const rows = environmentRows(given);

  it("are known by their keys, and no value can be read or compared with another one", () => {
    expect(rows.map(({ key }) => key)).toEqual(["target.env.PORT", "target.env.TOKEN", "target.env.EMPTY", "services.mailer.env.TOKEN"]);
    expect(JSON.stringify(rows)).not.toContain("secret");
    expect(new Set(rows.flatMap(({ salt, hash }) => [salt, hash])).size).toBe(2 * rows.length);
    for (const { salt, hash } of rows.slice(1))
      expect([salt, hash]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{32}$/)]);
    // A placeholder alone holds no secret.
    expect(rows[0]!.hash).toBe("{port}");
  });

  it("are the same as before, or named", () => {
    expect(otherValues(rows, given)).toEqual([]);
    expect(otherValues(rows, config({ PORT: "80", TOKEN: "a secret", EMPTY: "" }, { TOKEN: "a secret" }))).toEqual(["target.env.PORT"]);
    expect(otherValues(rows, config({ TOKEN: "a secreT", EMPTY: "" }, { TOKEN: "a secret" }))).toEqual(["target.env.TOKEN"]);
    expect(otherValues(rows, config({ TOKEN: "", EMPTY: "x" }, { TOKEN: "another" }))).toEqual([
      "target.env.TOKEN",
      "target.env.EMPTY",
      "services.mailer.env.TOKEN",
    ]);
  });

  it("that came or went are not a matter of values", () => {
    expect(otherValues(rows, config({ EMPTY: "", NEW: "1" }, { TOKEN: "a secret" }))).toEqual([]);
  });

  it("so is what target.warm_up sends", () => {
    const file = join(folder, "seqqa.yaml");
    const sending = (key: string): Config => {
      const warm_up = ["GET /health", { path: "/setup", headers: { "x-key": key } }];
      writeFileSync(file, JSON.stringify({ target: { command: "node server.mjs", warm_up } }));
      return loadConfig({ file, env: {}, cwd: folder });
    };
    const before = environmentRows(sending("a"));
    expect(otherValues(before, sending("a"))).toEqual([]);
    expect(otherValues(before, sending("b"))).toEqual(["target.warm_up.1"]);
  });
});
