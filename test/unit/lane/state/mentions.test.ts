import { expect, it } from "vitest";
import { mentions } from "../../../../src/lane/state/mentions.ts";

const ring: unknown[] = [];
ring.push(ring);

it.each([
  ["a string", "http://h:1/a", true],
  ["bytes", new TextEncoder().encode("see h:1"), true],
  ["a member of an object", { rows: [[1, null, "h:1"]] }, true],
  ["a name in an object", { "h:1": 0 }, true],
  ["a key of a map", new Map([["h:1", 0]]), true],
  ["a value of a map", new Map([["at", { link: "h:1" }]]), true],
  ["nothing", [1, null, undefined, 2n, "h:2", new Uint8Array(3), new Date(0)], false],
  ["itself", ring, false],
])("finds a text in %s", (_where, value, found) => {
  expect(mentions(value, ["x:9", "h:1"])).toBe(found);
});
