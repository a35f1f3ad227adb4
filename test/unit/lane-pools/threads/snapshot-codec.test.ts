import { describe, expect, it } from "vitest";
import { decodeSnapshot, encodeSnapshot } from "../../../../src/lane-pools/threads/snapshot-codec.ts";
import { Context, contextPartOf, type Values } from "../../../../src/model/context/context.ts";
import type { WorldSnapshot } from "../../../../src/lane/state/saved-world.ts";

/** Each member of a snapshot, with a value: a new one is missing here for the type checker. */
const WHOLE: Required<WorldSnapshot> = {
  systems: [{ rows: [1, "two", null] }],
  isWhole: true,
  context: { entries: new Map([["order", { id: 1 }]]), objects: 1, node: "paid" } as never,
  clients: [{ cookies: [] }],
  hasRootClients: true,
  setBy: [
    { text: "token-1", action: "log_in" },
    { text: "token-2", action: undefined },
  ] as never,
  origins: { ids: [], times: [], steps: 3 } as never,
  unstored: { trail: ["poke"] } as never,
  aheadMs: 86_400_000,
  cookiesPassMs: 1_764_000_000_000,
  rootTokens: "1.3",
  rootValues: "a.b",
  rootStores: "c.d",
  lane: "e",
  host: "127.0.0.1:3001",
  setupAt: { startMs: 1, endMs: 2 },
};

describe("a snapshot of a world", () => {
  it.each([
    ["plain data", WHOLE],
    ["a match of a regular expression", { ...WHOLE, systems: [/id=(?<id>\d+)/.exec("id=7")!] }],
    ["data that JSON has no form for", { ...WHOLE, systems: [{ rows: [10n, new Uint8Array([1])] }] }],
  ])("is decoded with all of its members: %s", (_what, snapshot) => {
    expect(decodeSnapshot(encodeSnapshot(snapshot))).toEqual(snapshot);
  });

  it.each([
    ["JSON", "J", { id: 1, tags: ["a"] }],
    ["values that are not JSON", "V", { id: 1n, at: new Date(0) }],
  ])("crosses threads with its context and its node: %s", (_what, form, values) => {
    for (const node of ["paid", undefined]) {
      const part = contextPartOf(new Context<Values>(values) as never);
      part.moveTo(node);
      const snapshot = {
        systems: [{ n: 1 }],
        context: part.save(),
        clients: [null],
        setBy: [
          { text: "t", action: "login" },
          { text: "", action: undefined },
        ],
      };
      const text = encodeSnapshot(snapshot);
      expect(text[0]).toBe(form);
      expect(decodeSnapshot(text)).toEqual(snapshot);
      part.moveTo("elsewhere");
      part.restore((decodeSnapshot(text) as typeof snapshot).context);
      expect(part.node).toBe(node);
    }
  });
});
