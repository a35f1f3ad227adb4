import { describe, expect, it } from "vitest";
import { SeqqaError } from "../../../../src/model/errors.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { laneCase } from "../../../support/lane-case.ts";

/** As systems throw it, and as user code may pass it on. */
const gone = (code: string): SeqqaError => new SeqqaError(code, "The connection to mysql://h/d was lost: it was ended.");
const THROWN: readonly (readonly [string, () => Error])[] = [
  ["a connection that was lost", () => gone("STORE_LOST")],
  ["a store that is away", () => gone("STORE_UNREACHABLE")],
  ["an error of its own for that", () => new Error("no orders", { cause: new Error("no rows", { cause: gone("STORE_LOST") }) })],
];

describe.each([false, true])("user code that cannot look into a store (watched: %s)", (watched) => {
  const change = { run: ({ store }: { readonly store: { readonly state: { n: number } } }) => (store.state.n++, ApiResponse.of(200)) };

  it.each(THROWN)(
    "an invariant that throws %s says nothing: the lane is built anew, and the action executed again",
    async (_what, error) => {
      let asked = 0;
      const rule = {
        name: "asks",
        // Not at the root.
        check: () => {
          if (asked++ > 0) throw error();
          return true;
        },
      };
      const { expand } = await laneCase({ actions: [change], invariants: [rule], watched });
      const { expansion, errors, rows } = await expand();
      expect(expansion.failure).toMatchObject({ kind: "store", unit: 0, action: 0 });
      expect(expansion.failure!.message).toMatch(/^Invariant "asks" threw: /);
      expect({ errors, rows }).toEqual({ errors: [], rows: [] });
    },
  );

  it.each(THROWN)("a rule about steps that throws %s, too, wherever it asks", async (_what, error) => {
    const later = { earlier: () => Promise.reject(error()) };
    for (const judge of [() => Promise.reject(error()), () => later]) {
      const { expand } = await laneCase({ actions: [change], rules: [{ name: "asks", judge }], watched });
      const { expansion, errors, rows } = await expand();
      expect(expansion.failure).toMatchObject({ kind: "store", unit: 0, action: 0 });
      expect(expansion.failure!.message).toMatch(/^Rule "asks" threw: /);
      expect({ errors, rows }).toEqual({ errors: [], rows: [] });
    }
  });

  it.each(THROWN)("an action that throws %s, too", async (_what, error) => {
    const { expand } = await laneCase({ actions: [{ run: () => Promise.reject(error()) }], watched });
    const { expansion, errors, rows } = await expand();
    expect(expansion.failure).toMatchObject({ kind: "store", unit: 0, action: 0 });
    expect({ errors, rows }).toEqual({ errors: [], rows: [] });
  });

  it("a store that is lost on the way to a state says nothing of the path", async () => {
    let isGone = false;
    const away = { run: () => (isGone ? Promise.reject(gone("STORE_LOST")) : change.run(store)) };
    const { lane, store: memory } = await laneCase({ actions: [away], watched });
    const store = { store: memory };
    isGone = true;
    const { rootLo: lo, rootHi: hi } = lane.base.report;
    const unit = { path: [0], from: 0, to: 1, lo, hi, snapshot: undefined, uncertain: false } as never;
    expect((await lane.runtime.expand({ units: [unit], direct: true })).failure).toMatchObject({ kind: "store", unit: 0, action: 0 });
  });

  it("a store that is lost when the lane itself looks says nothing either", async () => {
    const breaks = {
      run: ({ store }: { readonly store: { readonly state: { n: number }; observe: unknown } }) => {
        store.state.n++;
        store.observe = () => {
          throw gone("STORE_LOST");
        };
        return ApiResponse.of(200);
      },
    };
    const { expand } = await laneCase({ actions: [breaks], watched });
    expect((await expand()).expansion.failure).toMatchObject({ kind: "store", unit: 0, action: 0 });
  });

  it("at the root it is said at once", async () => {
    const rule = {
      name: "asks",
      check: () => {
        throw gone("STORE_LOST");
      },
    };
    await expect(laneCase({ actions: [change], invariants: [rule], watched })).rejects.toMatchObject({
      code: "STORE_LOST",
      exitStatus: 3,
      message: expect.stringContaining('Invariant "asks" threw') as string,
    });
  });

  it("another error of a system is the user's", async () => {
    let asked = 0;
    const rule = {
      name: "asks",
      check: () => {
        if (asked++ > 0) throw gone("QUERY_FAILED");
        return true;
      },
    };
    const { expand } = await laneCase({ actions: [change], invariants: [rule], watched });
    expect((await expand()).errors).toMatchObject([{ code: "INVARIANT_THREW" }]);
    const judge = (): Promise<boolean> => Promise.reject(gone("QUERY_FAILED"));
    const ruled = await laneCase({ actions: [change], rules: [{ name: "asks", judge }], watched });
    expect((await ruled.expand()).errors).toMatchObject([
      { code: "INVARIANT_THREW", message: expect.stringMatching(/^Rule "asks" threw: /) },
    ]);
  });
});
