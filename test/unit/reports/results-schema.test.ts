import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { RunDocument } from "../../../src/index.ts";
import { jsonText, runDocument } from "../../../src/reports/index.ts";
import { dismissedRace, gatedRace, raceCoverage } from "../../support/race.ts";
import { schemaErrors } from "../../support/results-schema.ts";
import { journey, report, result, violation } from "../../support/results.ts";

type Schema = { readonly [key: string]: unknown };

const schema = JSON.parse(readFileSync(new URL("../../../seqqa.results.schema.json", import.meta.url), "utf8")) as Schema;

/** A run in which everything that can stand in a document stands in it. */
function full(): RunDocument {
  const exchange = { request: { method: "GET", url: "http://h/", headers: {} }, error: "reset", durationMs: 1 };
  const divergence = { kind: "replay", path: ["pay"], message: "m", differences: ["a"], hint: "h" } as const;
  const found = violation({
    steps: [{ action: "pay", status: null, requests: [exchange], changes: ["+ a"] }],
    checks: [exchange],
    where: "qa/shop.explore.ts:3:5",
    minimality: "shortest",
    shrunkFrom: ["pay", "pay"],
    draws: [[0], [0, 1]],
    curl: "#!/bin/sh",
    known: true,
    target: { exitCode: 1, signal: null, output: ["boom"] },
  });
  const error = { code: "ACTION_THREW", message: "boom", path: [], source: "pay", where: "a.ts:1:2", stack: "Error: boom", count: 2 };
  const explored = result({
    violations: [found, violation({ state: null, request: undefined, response: undefined })],
    races: [gatedRace({ invariant: "stock", draws: [[0], [0, 1]], known: true, curl: "#!/bin/sh" })],
    raceCoverage: raceCoverage({ dismissedRaces: [dismissedRace({ invariant: "stock" })] }),
    divergences: [divergence],
    errors: [error],
    notes: ["note"],
    unreachedNodes: ["a"],
    deadEdges: ["b"],
    deniedChecks: ["c"],
  });
  const made = report({
    explorations: [{ name: "shop", file: "qa/shop.explore.ts", result: explored }],
    journeys: [{ name: "login", file: "qa/login.ts", result: journey({ interrupted: true }), notes: ["n"], error, notPutBack: divergence }],
    failures: [
      { file: "x.ts", code: "NO_AGENT", message: "m", hint: "h" },
      { file: "y.ts", code: "NO_AGENT", message: "m", hint: undefined },
    ],
    known: { file: "known.yaml", found: ["1"], stale: [], unseen: [], updated: { added: ["1"], removed: [] } },
    exitStatus: 1,
  });
  return runDocument(made, { redact: ["token"], includeRequestResponse: true });
}

const written = (document: RunDocument): Schema => JSON.parse(jsonText(document)) as Schema;

/** Every place below a value, with its own keys. */
function* objects(value: unknown, path: string): Generator<readonly [path: string, value: Record<string, unknown>]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>];
  for (const [key, member] of Object.entries(value)) yield* objects(member, `${path}/${key}`);
}

describe("seqqa.results.schema.json", () => {
  it("says of every field what it is", () => {
    const bare: string[] = [];
    for (const [path, node] of objects(schema["definitions"], "")) {
      const { properties } = node as { properties?: Record<string, Schema> };
      for (const [name, field] of Object.entries(properties ?? {})) {
        if (path.endsWith("/properties")) continue;
        if (typeof field["description"] !== "string" || field["description"].length < 5) bare.push(`${path}/${name}`);
      }
    }
    expect(bare).toEqual([]);
  });

  it("holds a document with everything in it, and one with nothing", () => {
    expect(schemaErrors(written(full()))).toEqual([]);
    expect(schemaErrors(written(runDocument(report(), { redact: [], includeRequestResponse: false })))).toEqual([]);
  });

  it("does not hold a document with a field more, or one less, anywhere", () => {
    const document = written(full());
    // Below these, keys are names that the user or the target chose.
    const free = /\/(headers|statuses|set|args|actions|raceCoverage\/(?:skipped|dismissed|deliveries))(\/|$)/;
    let changed = 0;
    for (const [path, value] of objects(document, "")) {
      if (free.test(path)) continue;
      value["surplus"] = 1;
      expect(schemaErrors(document), `${path} with a field more`).not.toEqual([]);
      delete value["surplus"];
      changed++;
    }
    expect(changed).toBeGreaterThan(25);
    for (const name of Object.keys(document).filter((one) => one !== "knownFindings")) {
      const { [name]: _, ...rest } = document;
      expect(schemaErrors(rest), `without ${name}`).not.toEqual([]);
    }
    expect(schemaErrors({ ...document, format: 2 })).not.toEqual([]);
  });

  it("has its fields in one order", () => {
    const orders = [...objects(written(full()), "")].map(([path, value]) => `${path || "/"}: ${Object.keys(value).join(" ")}`);
    expect(
      orders.filter((one) => !/\/(headers|statuses|set|args|raceCoverage\/(?:skipped|dismissed|deliveries))[:/]/.test(one)).join("\n"),
    ).toMatchSnapshot();
  });
});
