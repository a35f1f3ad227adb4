import { expect, it } from "vitest";
import { operationCovered } from "../../../../../src/model/results/coverage.ts";
import { LIMITS } from "../../../../../src/reports/html/limits.ts";
import { codePart, operationsPart, strengthPart } from "../../../../../src/reports/html/sections/measured-part.ts";

const MARKUP = '"><img src=x onerror=alert(1)>';

it("shows the names of operations, statuses and files as text, in closed sections", () => {
  const operations = [operationCovered({ method: "GET", path: `/${MARKUP}`, described: [MARKUP] }, [])];
  const count = { total: 4, covered: 3 };
  const files = [{ file: MARKUP, lines: count, branches: { total: 0, covered: 0 } }];
  const code = { lines: count, branches: count, files, processes: 1, notes: [MARKUP] };
  const html = operationsPart(operations, LIMITS[0]!) + codePart(code, LIMITS[0]!);
  expect(html).not.toContain("<img");
  expect(html).not.toContain("<details open");
  expect(html).toContain("Operations: 0 of 1 called, 0 of 1 described statuses seen");
  expect(html).toContain("never called");
  // The name of this part in the list of parts.
  expect(html).toContain('data-title="Code"');
  expect(html).toContain('75 % <span class="quiet">3 of 4</span>');
  expect(html).toContain('none <span class="quiet">0 of 0</span>');
});

it("shows how often rules noticed wrong data, the least noticed first, with all names as text", () => {
  const place = { table: MARKUP, column: null, kind: MARKUP, tried: 8, noticed: 8, by: [MARKUP] };
  const missed = { table: "orders", column: "status", kind: "another word", tried: 1000, noticed: 0, by: [] };
  const part = (noticed: number, isCut: boolean): string =>
    strengthPart({ tried: 1008, noticed, refused: 2, isCut, places: [place, missed] }, LIMITS[0]!);
  const html = part(8, true);
  expect(html).not.toContain("<img");
  expect(html).not.toContain("<details open");
  expect(html).toContain(
    "Strength of the rules: they noticed 1 % of 1,008 corruptions; the database refused 2 more; the time was up before all were tried",
  );
  expect(html.replaceAll(/<[^>]*>/g, "|")).toMatch(/orders\|+status\|+another word\|+not noticed\|+ \|+0 of 1,000\|.*8 of 8\|/s);
  expect(part(1007, false)).toContain("they noticed 99 % of 1,008 corruptions; the database refused 2 more<");
});

it("shows nothing if nothing was measured", () => {
  expect(operationsPart(undefined, LIMITS[0]!) + codePart(undefined, LIMITS[0]!) + strengthPart(undefined, LIMITS[0]!)).toBe("");
});
