import fc from "fast-check";
import { readFileSync } from "node:fs";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { loadConfig } from "../../../src/config/index.ts";
import { size } from "../../sizes.ts";
import { atEnd } from "../../support/at-end.ts";
import { anyValue, HOSTILE_TEXTS, mutated, mutatedBytes, tried } from "../../support/fuzz.ts";
import { codePoint } from "../../support/code-point.ts";

const folder = mkdtempSync(join(tmpdir(), "seqqa-config-"));
atEnd(() => rmSync(folder, { recursive: true, force: true }));

const example = readFileSync(new URL("../../../seqqa.yaml.example", import.meta.url), "utf8");
/** The example of every key, with and without those that are commented out; and what users write. */
const VALID: readonly unknown[] = [
  parse(example),
  parse(example.replaceAll(/^# ?(?=[\w ]+:)/gm, "")),
  { target: { command: "node server.js", env: { PORT: "{port}", DB_PATH: "{db_path}" } }, exploration: { max_steps: 40, strategy: "bfs" } },
  {
    target: { command: "node server.js", env: { PORT: "{port}", DB: "{db_url}", PAY: "{url:payments}" }, ready: "/", ready_timeout: "5s" },
    db_url: "sqlite:./shop.db",
    systems: { cache: { url: "redis://127.0.0.1:6379/3" }, payments: { url: "stub://http" }, jobs: { url: "bullmq://127.0.0.1/4" } },
    report: { formats: ["html", "junit"], redact: ["password"], output_dir: "./out" },
    services: { pay: { command: "node pay.js", env: { PORT: "{port}" } } },
  },
  { base_url: "http://127.0.0.1:3000", lanes: [{ base_url: "http://127.0.0.1:3001", db_url: "sqlite:./a_test.db" }], parallel: 1 },
];

const yaml = mutated(VALID).map((document) => {
  try {
    return stringify(document, { aliasDuplicateObjects: false });
  } catch {
    // The package for YAML does not write every text.
    return JSON.stringify(document);
  }
});
const json = mutated(VALID).map((document) => JSON.stringify(document) ?? "");
const bytes = fc.oneof(
  { weight: 4, arbitrary: yaml.map((one) => Buffer.from(one)) },
  { weight: 2, arbitrary: json.map((one) => Buffer.from(one)) },
  { weight: 3, arbitrary: mutatedBytes(fc.oneof(yaml, json, fc.constantFrom(example, ...VALID.map((one) => stringify(one))))) },
  { weight: 1, arbitrary: mutatedBytes(fc.string({ unit: codePoint })) },
);

const VARIABLES = [
  "SEQQA_TIMEOUT",
  "SEQQA_EXPLORATION_MAX_STEPS",
  "SEQQA_REPORT_FORMATS",
  "SEQQA_SYSTEMS_CACHE_URL",
  "SEQQA_PARALLEL",
  "SEQQA_BASE_URL",
  "HOME",
];
const env = fc.dictionary(
  fc.constantFrom(...VARIABLES, "SEQQA___PROTO__", "SEQQA_NONE"),
  fc.oneof(
    fc.constantFrom(...HOSTILE_TEXTS),
    anyValue.map((one) => JSON.stringify(one) ?? ""),
  ),
  {
    maxKeys: 2,
  },
);

describe("whatever stands in seqqa.yaml and in the environment", () => {
  it("is a configuration, or one sentence that says where it is wrong", { timeout: 3_600_000 }, async () => {
    const file = join(folder, "seqqa.yaml");
    let loaded = 0;
    await fc.assert(
      fc.asyncProperty(
        bytes,
        fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: env }),
        async (content, variables) => {
          writeFileSync(file, content);
          const config = await tried(() => loadConfig({ directory: folder, cwd: folder, env: variables }));
          if (config === undefined) return;
          loaded++;
          expect(Object.getPrototypeOf(config)).toBe(Object.prototype);
          // Every value can be written into a run log.
          expect(() => JSON.stringify(config)).not.toThrow();
        },
      ),
      { numRuns: size(250, 10_000) },
    );
    // A property over errors alone would prove little.
    expect(loaded).toBeGreaterThan(size(250, 10_000) / 100);
  });
});
