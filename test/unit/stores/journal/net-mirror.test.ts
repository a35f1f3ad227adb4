import fc from "fast-check";
import { expect, test } from "vitest";
import {
  NetMirror,
  observeCounters,
  sameRow,
  withoutCommon,
  type ExactRow,
  type Segment,
  type Touch,
} from "../../../../src/stores/index.ts";

const row = (id: bigint, value: bigint): ExactRow => [id, value];

/** A store of the simplest kind: key -> value. */
type Store = Map<bigint, ExactRow>;

function touchesBetween(before: Store, now: Store): Touch[] {
  const keys = new Set([...before.keys(), ...now.keys()]);
  return [...keys].map((key) => ({ table: 0, key, before: before.get(key) ?? null, now: now.get(key) ?? null }));
}

test("fixes lead back to any state below, and the net is what differs from the root", () => {
  const change = fc.tuple(fc.bigInt({ min: 0n, max: 4n }), fc.option(fc.bigInt({ min: 0n, max: 2n })));
  const step = fc.oneof(
    fc.record({ kind: fc.constant("push" as const), changes: fc.array(change, { maxLength: 4 }) }),
    fc.record({ kind: fc.constant("pop" as const), to: fc.nat() }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const root: Store = new Map([0n, 1n, 2n].map((id) => [id, row(id, 0n)]));
      let store: Store = new Map(root);
      const mirror = new NetMirror(1, []);
      let known: { segment: Segment; store: Store }[] = [{ segment: mirror.top, store: new Map(store) }];
      for (const one of steps) {
        if (one.kind === "push") {
          const before = new Map(store);
          for (const [id, value] of one.changes) {
            if (value === null) store.delete(id);
            else store.set(id, row(id, value));
          }
          mirror.push(touchesBetween(before, store), []);
          known.push({ segment: mirror.top, store: new Map(store) });
        } else {
          const at = one.to % known.length;
          const back = known[at] as (typeof known)[number];
          expect(mirror.holds(back.segment)).toBe(true);
          for (const { slot, wanted } of mirror.fixesTo(back.segment)) {
            expect(sameRow(store.get(slot.key as bigint) ?? null, slot.now)).toBe(true);
            if (wanted === null) store.delete(slot.key as bigint);
            else store.set(slot.key as bigint, wanted);
          }
          mirror.popTo(back.segment);
          expect(store).toEqual(back.store);
          const gone = known.slice(at + 1).filter((later) => later.segment !== back.segment);
          for (const later of gone) expect(mirror.holds(later.segment)).toBe(false);
          known = known.slice(0, at + 1);
          store = new Map(store);
        }
        const net = new Map([...mirror.slotsOf(0)].filter((slot) => !sameRow(slot.base, slot.now)).map((slot) => [slot.key, slot.now]));
        const wanted = new Map(
          touchesBetween(root, store)
            .filter((touch) => !sameRow(touch.before, touch.now))
            .map((touch) => [touch.key, touch.now]),
        );
        expect(net).toEqual(wanted);
      }
    }),
  );
});

test("rows are the same only with their storage class", () => {
  expect(sameRow([1n, "a", new Uint8Array([1])], [1n, "a", new Uint8Array([1])])).toBe(true);
  expect(sameRow([1n], [1])).toBe(false);
  expect(sameRow([new Uint8Array([1])], ["\u0001"])).toBe(false);
  expect(sameRow([{ rawText: new Uint8Array([255]) }], [new Uint8Array([255])])).toBe(false);
  expect(sameRow(null, [null])).toBe(false);
});

test("multisets are reduced by what they share, as often as they share it", () => {
  expect(withoutCommon([[1], [1], [1], ["a"]], [[1], ["b"], [1]])).toEqual([[[1], ["a"]], [["b"]]]);
});

test("counters that differ are told, gone ones as null", () => {
  expect(observeCounters([[1n, "a", 1n], [2n, "b", 2n], [3n, "c", 3n]], [[1n, "a", 1n], [2n, "b", 5n], [4n, "d", 1n]])).toEqual({ b: 5, c: null, d: 1 }); // prettier-ignore
});
