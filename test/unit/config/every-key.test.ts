import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { KEYS, type Key } from "../../../src/config/schema/keys.ts";
import type { Spec } from "../../../src/config/schema/spec.ts";
import { full } from "../../sizes.ts";
import { failure } from "./files.ts";

/** A document in which the key has the value, and everything that must stand beside it has one too. */
function documentWith(key: string, value: unknown, neighbour?: string): string {
  const build = (path: readonly string[]): unknown => {
    const [head = "", ...rest] = path;
    const list = head.endsWith("[]");
    const name = list ? head.slice(0, -2) : head === "*" ? "audit" : head;
    const inner = rest.length === 0 ? value : build(rest);
    const beside = rest.length === 0 && neighbour !== undefined ? { [neighbour]: 1 } : {};
    const member = list && rest.length > 0 ? [inner] : inner;
    return { [name]: member, ...beside };
  };
  return stringify(build(key.split(".")));
}

/** Values of a wrong type, for each kind of value. */
function wrongTypes(spec: Spec): readonly unknown[] {
  switch (spec.kind) {
    case "boolean":
      return ["yes", 1, ["true"], { on: true }, null];
    case "integer":
      return ["many", 1.5, true, [1], { n: 1 }, null];
    case "number":
      return ["many", true, [1], null];
    case "seconds":
      return ["soon", "5 minutes", true, [1], null];
    case "text":
    case "url":
    case "choice":
      return [12, true, ["x"], { x: 1 }, null];
    case "loose":
      return [["x"], null];
    case "any":
      return [];
    case "list":
      return ["x", 12, { x: 1 }, null];
    case "map":
      return ["x", 12, ["x"], null];
    case "section":
      return ["x", 12, ["x"], null];
    case "either":
      return [true, ["x"], null];
  }
}

/** Values of the right type that are out of range; empty where every value of the type is in range. */
function outOfRange(spec: Spec): readonly unknown[] {
  switch (spec.kind) {
    case "integer":
    case "number":
    case "seconds":
      return [
        ...(spec.min === undefined || spec.min === Number.MIN_SAFE_INTEGER ? [] : [spec.min - 1, -1e9]),
        ...(spec.above === undefined ? [] : [spec.above, spec.above - 1]),
        Number.POSITIVE_INFINITY,
        2 ** 60,
        ...(spec.kind === "seconds" ? ["-5s", "1000h"] : []),
      ];
    case "text":
      return spec.pattern === undefined ? ["", "  "] : ["", "ftp://x", "nonsense"].filter((value) => !spec.pattern!.is.test(value));
    case "url":
      return ["", "nonsense", "ftp://host/x", `${spec.schemes[0] ?? ""}:`];
    case "choice":
      return ["", "nonsense", `${spec.choices[0] ?? ""}x`];
    case "list":
      return outOfRange(spec.of).map((value) => [value]);
    case "map":
      return spec.of.kind === "loose" ? [{ "no name": "x" }] : [{ "no name": {} }];
    case "either":
      return spec.of.some((one) => one.kind === "integer") ? [0, -1, "x"] : ["nonsense"];
    default:
      return [];
  }
}

const PLACE = /^seqqa\.yaml:\d+:\d+: /;
const rows: readonly Key[] = KEYS;

describe.each(rows)("$key", ({ key, field }) => {
  it("has its unknown neighbours named with line, column and the nearest valid key", () => {
    const name = key.split(".").at(-1)?.replace("[]", "") ?? "";
    const typo = `${name}x`;
    const error = failure(documentWith(key.replace(/[^.]+$/, typo), 1));
    expect(error.code).toBe("CONFIG_UNKNOWN_KEY");
    expect(error.message).toMatch(PLACE);
    expect(error.message).toContain(`"${typo}"`);
    expect(error.message).toContain(`did you mean "${name}"?`);
    expect(error.exitStatus).toBe(2);
  });

  it.each(
    wrongTypes(field.spec)
      .filter((_, index, all) => full || index === 0 || index === all.length - 1)
      .map((value) => [JSON.stringify(value), value]),
  )("refuses %s as a wrong type", (_text, value) => {
    const error = failure(documentWith(key, value));
    expect(error.code).toMatch(/^CONFIG_(TYPE|RANGE)$/);
    if (field.spec.kind !== "choice" && field.spec.kind !== "either") expect(error.code).toBe("CONFIG_TYPE");
    expect(error.message).toMatch(PLACE);
    expect(error.message).toContain("it must be ");
    expect(error.message).toContain(key.split(".").at(-1)?.replace("[]", ""));
  });

  const outside = outOfRange(field.spec);
  it.runIf(outside.length > 0).each(outside.map((value) => [JSON.stringify(value) ?? "", value]))(
    "refuses %s as out of range",
    (_text, value) => {
      const error = failure(documentWith(key, value));
      expect(error.code).toBe("CONFIG_RANGE");
      expect(error.message).toMatch(PLACE);
      expect(error.exitStatus).toBe(2);
    },
  );
});

describe("the table", () => {
  it("has every key of the documentation", () => {
    const keys = KEYS.map(({ key }) => key);
    for (const key of [
      "base_url",
      "target.settle",
      "lanes[].base_url",
      "exploration.races.delivery",
      "retry.retry_on_status",
      "report.redact",
      "systems.*.symmetric",
    ]) {
      expect(keys).toContain(key);
    }
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("gives each variable to one key", () => {
    const variables = KEYS.flatMap(({ variable }) => variable ?? []);
    expect(new Set(variables).size).toBe(variables.length);
    expect(variables).toEqual(
      expect.arrayContaining(["SEQQA_BASE_URL", "SEQQA_PARALLEL", "SEQQA_EXPLORATION_MAX_STEPS", "SEQQA_REPORT_OUTPUT_DIR"]),
    );
  });
});
