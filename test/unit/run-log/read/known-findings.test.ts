import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readKnownFindings, updateKnownFindings } from "../../../../src/run-log/index.ts";

const folder = mkdtempSync(join(tmpdir(), "seqqa-known-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const fileWith = (text: string, name = "known.yaml"): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const idsOf = (text: string, name?: string): readonly string[] =>
  readKnownFindings(fileWith(text, name), "known.yaml", false).entries.map(({ id }) => id);

describe("the list of known findings", () => {
  it.each<readonly [string, string, readonly string[]]>([
    [
      "ids",
      "- a1\n- 1234567812345678\n- 1e23456712345678\n- 0x10\n- 0755\n- true\n",
      ["a1", "1234567812345678", "1e23456712345678", "0x10", "0755", "true"],
    ],
    ["entries", "- id: a1\n  note: why\n- { id: b2 }\n- c3\n", ["a1", "b2", "c3"]],
    ["JSON", '[{ "id": "a1", "note": "why" }, "b2"]', ["a1", "b2"]],
    ["nothing", "", []],
    ["only a comment", "# none yet\n", []],
    ["an empty list", "[]", []],
    ["a BOM", "\ufeff- a1\n", ["a1"]],
  ])("%s", (_what, text, ids) => {
    expect(idsOf(text)).toEqual(ids);
  });

  it.each<readonly [string, string, RegExp]>([
    ["no YAML", "- a\n- [b\n", /^known\.yaml:\d+: this is not valid YAML or JSON: [^\n]+\.$/],
    ["no list", "a1: true\n", /^known\.yaml:1: the file does not contain a list of findings\.$/],
    ["a word", "a1\n", /^known\.yaml:1: the file does not contain a list of findings\.$/],
    ["an entry without id", "- a1\n- note: why\n", /^known\.yaml:2: this entry has no id, or its id contains white space\.$/],
    ["an id of two words", "- a1\n- b 2\n", /^known\.yaml:2: this entry is neither an id nor an object with an id\.$/],
    ["a list in it", "- a1\n- [b2]\n", /^known\.yaml:2: this entry is neither an id nor an object with an id\.$/],
    [
      "an unknown key",
      "- id: a1\n  nte: why\n",
      /^known\.yaml:1: "nte" is not a key of an entry; the keys are id, note, exploration, finding, path\.$/,
    ],
    ["a list for a note", "- id: a1\n  note: [why]\n", /^known\.yaml:1: note must be a text\.$/],
    ["a text for a path", "- id: a1\n  path: pay\n", /^known\.yaml:1: path must be a list of texts\.$/],
    ["a shortened id", "- a1\n- b8717c1e\n", /^known\.yaml:2: the id b8717c1e is shortened\.$/],
    ["a shortened id of a race", "- { id: r8717c1e }\n", /^known\.yaml:1: the id r8717c1e is shortened\.$/],
    ["an id twice", "- a1\n- b2\n- id: a1\n", /^known\.yaml:3: the finding a1 is already listed in line 1\.$/],
  ])("%s is refused", (_what, text, says) => {
    expect(() => idsOf(text)).toThrow(expect.objectContaining({ exitStatus: 2, message: expect.stringMatching(says) as string }));
  });

  it("that is not there is refused, unless it is about to be written", () => {
    const nowhere = join(folder, "nowhere.yaml");
    expect(() => readKnownFindings(nowhere, "nowhere.yaml", false)).toThrow("The list of known findings nowhere.yaml does not exist.");
    expect(readKnownFindings(nowhere, "nowhere.yaml", true).entries).toEqual([]);
    expect(() => readKnownFindings(folder, "folder", true)).toThrow("seqqa cannot read the list of known findings folder (EISDIR).");
  });
});

describe("--update-known", () => {
  const found = [
    { id: "c3", exploration: "shop", finding: "refund", path: [] },
    { id: "12345678", exploration: "shop", finding: "stock", path: ["create", "pay"] },
  ];

  it("adds, takes out, sorts, and keeps notes and comments", () => {
    const file = fileWith(`# Agreed with the shop team.

- id: d4 # until March
  note: >-
    ticket 12
# by hand
- b2
- id: gone
  note: fixed
`);
    updateKnownFindings(file, { found: [...found, { id: "b2", exploration: "shop", finding: "x", path: [] }], stale: ["gone"] });
    expect(readFileSync(file, "utf8")).toBe(`# Agreed with the shop team.

- id: "12345678"
  exploration: shop
  finding: stock
  path: [ create, pay ]
# by hand
- b2
- id: c3
  exploration: shop
  finding: refund
  path: []
- id: d4 # until March
  note: >-
    ticket 12
`);
  });

  it.each<readonly [string, readonly string[], string]>([
    ["is removed", ["b2"], "# Ask Ann.\n\n- c3\n"],
    ["is sorted to another place", [], "# Ask Ann.\n\n- a1\n# by hand\n- b2\n- c3\n"],
  ])("keeps the comment at the head of the file if the first entry %s", (_what, stale, expected) => {
    const file = fileWith(`# Ask Ann.\n\n# by hand\n- b2\n- c3\n${stale.length === 0 ? "- a1\n" : ""}`);
    updateKnownFindings(file, { found: [], stale });
    expect(readFileSync(file, "utf8")).toBe(expected);
  });

  it("leaves a file alone in which nothing changes", () => {
    const text = "-   c3   # mine\n";
    const file = fileWith(text);
    updateKnownFindings(file, { found: [found[0]!], stale: ["other"] });
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("writes JSON as JSON, a new file, and an empty list", () => {
    const json = fileWith('["z9", { "id": "a1", "note": "why" }]', "known.json");
    updateKnownFindings(json, { found, stale: ["z9"] });
    expect(JSON.parse(readFileSync(json, "utf8"))).toEqual([
      { id: "12345678", exploration: "shop", finding: "stock", path: ["create", "pay"] },
      { id: "a1", note: "why" },
      { id: "c3", exploration: "shop", finding: "refund", path: [] },
    ]);
    const fresh = join(folder, "fresh.yaml");
    updateKnownFindings(fresh, { found: [found[0]!, found[0]!], stale: [] });
    expect(idsOf(readFileSync(fresh, "utf8"))).toEqual(["c3"]);
    updateKnownFindings(fresh, { found: [], stale: ["c3"] });
    expect(readFileSync(fresh, "utf8")).toBe("[]\n");
  });
});
