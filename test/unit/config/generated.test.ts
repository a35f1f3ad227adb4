import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { exampleFile, markdownTable } from "../../../src/config/schema/documentation.ts";
import { jsonSchema } from "../../../src/config/schema/json-schema.ts";
import { KEYS } from "../../../src/config/schema/keys.ts";
import { editDistance, nearest } from "../../../src/model/text/nearest.ts";
import { load } from "./files.ts";

const file = (name: string): string => readFileSync(new URL(`../../../${name}`, import.meta.url), "utf8");

describe("what is made from the table", () => {
  it("is up to date in the repository (node scripts/write-config-files.mjs writes it)", () => {
    expect(file("seqqa.yaml.example")).toBe(exampleFile());
    expect(JSON.parse(file("seqqa.schema.json"))).toEqual(jsonSchema());
  });

  it("has an example that changes nothing as it is", () => {
    const { sources: _, folder: __, file: ___, report, ...config } = load(exampleFile());
    const { sources: ____, folder: _____, file: ______, report: defaults, ...expected } = load("");
    expect(config).toEqual(expected);
    expect({ ...report, outputDir: "" }).toEqual({ ...defaults, outputDir: "" });
  });

  it("has an example that is still YAML, with every key, when its comments are taken off", () => {
    const uncommented = exampleFile()
      .split("\n")
      .filter((line) => !/^\s*# [^\s]/.test(line) || /^\s*# ?( *)[a-z_]+:( |$)/.test(line) || /^# {3}/.test(line))
      .map((line) => line.replace(/^(\s*)# /, "$1"))
      .join("\n");
    const keys = parse(uncommented) as Record<string, unknown>;
    expect(Object.keys(keys)).toEqual(Object.keys(jsonSchema()["properties"] as object));
    expect(keys["target"]).toMatchObject({ command: "node server.js", env: { PORT: "{port}" } });
    expect(keys["lanes"]).toMatchObject([{ base_url: "http://127.0.0.1:3001" }]);
  });

  it("documents every key", () => {
    for (const { key, field } of KEYS) {
      if (field.spec.kind !== "section") expect(`${markdownTable()}\n${exampleFile()}`).toContain(key.split(".").at(-1)?.replace("[]", ""));
    }
  });
});

describe("the nearest word", () => {
  it.each([
    ["tiemout", "timeout"],
    ["baseUrl", "base_url"],
    ["max-steps", "max_steps"],
    ["ready_timout", "ready_timeout"],
    ["colour", undefined],
    ["", undefined],
  ])("%j -> %j", (word, expected) => {
    expect(nearest(word, ["base_url", "timeout", "max_steps", "max_depth", "ready_timeout"])).toBe(expected);
  });

  it("counts a swap as one edit", () => {
    expect(editDistance("abcd", "abdc")).toBe(1);
    expect(editDistance("kitten", "sitting")).toBe(3);
    expect(editDistance("", "abc")).toBe(3);
  });
});
