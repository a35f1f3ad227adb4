import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shrinkPath, type DrawnPath } from "../../../../src/engine/findings/shrink.ts";

/** Whether `needed` is left of a path, in its order, and the last step is its own. */
const holds =
  (needed: readonly number[]) =>
  ({ path }: DrawnPath): boolean => {
    let at = 0;
    for (const action of path) if (action === needed[at]) at++;
    return at === needed.length && path.at(-1) === needed.at(-1);
  };

describe("leaving steps out of a path", () => {
  it("leaves exactly what is needed, whatever stands between", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(3), { minLength: 1, maxLength: 12 }),
        fc.array(fc.boolean(), { maxLength: 12 }),
        async (path, keep) => {
          const needed = path.filter((_, step) => step === path.length - 1 || keep[step] === true);
          const shrunk = await shrinkPath({ path, draws: undefined }, (candidate) => Promise.resolve(holds(needed)(candidate)));
          expect(shrunk).toMatchObject({ path: needed, isMinimal: true });
        },
      ),
    );
  });

  it("goes on until no single step can be left out, also where one is needed only while another one is there", async () => {
    // 1 must be undone by 2; without 1, 2 is in the way of nothing and may go, too.
    const reproduces = ({ path }: DrawnPath): boolean => path.at(-1) === 9 && (!path.includes(1) || path.includes(2));
    const shrunk = await shrinkPath({ path: [0, 1, 2, 0, 9], draws: undefined }, (one) => Promise.resolve(reproduces(one)));
    expect(shrunk).toMatchObject({ path: [9], isMinimal: true });
  });

  it("keeps what the steps that stay have drawn", async () => {
    const tried: DrawnPath[] = [];
    const shrunk = await shrinkPath({ path: [5, 6, 7, 8], draws: undefined }, (candidate) => {
      tried.push(candidate);
      return Promise.resolve(holds([5, 7, 8])(candidate));
    });
    expect(shrunk).toEqual({ path: [5, 7, 8], draws: [[], [5, 6], [5, 6, 7]], isMinimal: true });
    // From the end to the beginning, and once more after something could be left out.
    expect(tried.map(({ path }) => path.join(""))).toEqual(["568", "578", "78", "58", "78"]);
  });

  it("says so when it was stopped before it knew", async () => {
    let tries = 0;
    const shrunk = await shrinkPath({ path: [0, 1, 2], draws: undefined }, () => Promise.resolve(++tries > 1 ? undefined : true));
    expect(shrunk).toMatchObject({ path: [0, 2], isMinimal: false });
  });
});
