import { describe, expect, it } from "vitest";
import { runTarget, type Outcome } from "../support/soundness/run.ts";
import { specOf, type Spec } from "../support/soundness/spec.ts";
import { template } from "../support/store-templates.ts";

/** A target without noise, on SQLite. */
const plain: Spec = {
  ...specOf(0, ["sqlite"]),
  table: "orders",
  ids: "uuid",
  clock: "none",
  items: 2,
  stamps: false,
  noise: false,
  trace: false,
  beats: 0,
  chooses: false,
  late: { ms: 40, when: "always", first: "something" },
};

const found = ({ explored }: Outcome): readonly string[] =>
  explored?.violations.map(({ reproductionPath }) => reproductionPath.join(" ")) ?? [];

/** Wrong merges that were seen with exit status 0, each with the shortest path to its defect. */
const MERGED: readonly (readonly [what: string, path: string, spec: Partial<Spec>])[] = [
  ["short hexadecimal ids", "create pay create pay", { family: "second", verbs: ["pay"], ids: "hex" }],
  ["nanoids", "create pay create pay", { family: "second", verbs: ["pay"], ids: "nano" }],
  ["AUTO_INCREMENT that is not restored", "create pay create pay", { family: "second", verbs: ["pay"], ids: "auto", store: "mysql" }],
  [
    "a lease that is held, and one that is over",
    "create lock release publish",
    { family: "lease", verbs: ["lock", "release", "publish"], clock: "iso", items: 1 },
  ],
  ["the order of created_at, with UUIDs", "create create pay settle", { family: "order", verbs: ["pay", "settle"], clock: "iso" }],
  [
    "references as base64 of JSON",
    "create pay create follow",
    { family: "reference", verbs: ["pay", "follow"], ids: "data", chooses: true },
  ],
  ["hashes of what was sent", "create secret_a create secret_a", { family: "secret", verbs: ["secret"], chooses: true }],
];

describe.concurrent("states that are not one", () => {
  it.each(MERGED)("%s: the defect is found, and the correct twin is silent", { timeout: 60_000 }, async (_what, path, parts) => {
    const spec = { ...plain, ...parts };
    const url = spec.store === "sqlite" ? undefined : await template(spec.store);
    const [bug, twin] = await Promise.all([true, false].map(async (has) => runTarget(spec, { bug: has, lanes: 2, url })));
    expect([bug!.status, found(bug!)]).toEqual([1, expect.arrayContaining([path])]);
    expect([twin!.status, found(twin!), twin!.explored?.divergences]).toEqual([0, [], []]);
  });
});

/** Targets whose outcomes depend on more than their state. */
const REPORTED: readonly (readonly [what: string, says: RegExp, spec: Partial<Spec>])[] = [
  ["a write 40 ms after a plain 200", /late write|Late writes/, { family: "late", verbs: ["slow"] }],
  ["a cache in the target's memory", /remembers something|not seen again/, { family: "memory", verbs: ["advance"], items: 1 }],
  [
    "a status that is chosen at random",
    /differs? between executions|not seen again|differed|led to another state/,
    { family: "coin", verbs: ["pay", "cancel"], items: 1 },
  ],
];

describe.concurrent("outcomes that no state explains", () => {
  it.each(REPORTED)("%s: are reported, and never vouched for", { timeout: 120_000 }, async (_what, says, parts) => {
    const spec = { ...plain, ...parts };
    const [bug, twin] = await Promise.all([true, false].map(async (has) => runTarget(spec, { bug: has, lanes: 2 })));
    expect([1, 3]).toContain(bug!.status);
    expect(bug!.said).toMatch(says);
    expect(found(twin!)).toEqual([]);
  });
});

it("an expiry of 30 days in whole seconds gives one digest, however often it is explored", { timeout: 60_000 }, async () => {
  const spec: Spec = { ...plain, family: "lease", verbs: ["lock", "publish"], clock: "s", lockMs: 30 * 86_400_000, items: 1 };
  const runs = await Promise.all(Array.from({ length: 6 }, async () => runTarget(spec, { bug: false, lanes: 1 })));
  expect(runs.map(({ status }) => status)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(new Set(runs.map(({ explored }) => explored!.digest)).size).toBe(1);
});
