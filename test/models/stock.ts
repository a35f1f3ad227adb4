import type { Model } from "./model.ts";

/** A letter per slot (n none, c created, p paid, s shipped, x cancelled) and the items left. */
export type Stock = readonly [slots: string, left: number];

/** The stock: `slots` independent orders that share 4 items. `bug`: cancelling a paid order gives two items back. */
export function stock(slots: number, bug = false): Model<Stock> {
  const actions = Array.from({ length: slots }, (_, slot) =>
    ["create", "pay", "ship", "cancel"].map((verb) => `${verb}_${slot + 1}`),
  ).flat();
  return {
    initial: ["n".repeat(slots), 4],
    actions,
    step: ([letters, left], action) => {
      const [verb, number] = action.split("_") as [string, string];
      const at = Number(number) - 1;
      const move = MOVES[`${verb} ${letters.charAt(at)}`];
      if (move === undefined || (verb === "create" && left <= 0)) return null;
      const back = bug && verb === "cancel" && letters.charAt(at) === "p" ? 2 : move[1];
      return { status: 200, state: [letters.slice(0, at) + move[0] + letters.slice(at + 1), left + back] };
    },
    broken: ([letters, left]) =>
      left + letters.split("").filter((letter) => "cps".includes(letter)).length === 4 ? [] : ["items_add_up", "shown_items_add_up"],
  };
}

const MOVES: Readonly<Record<string, readonly [to: string, back: number]>> = {
  "create n": ["c", -1],
  "pay c": ["p", 0],
  "ship p": ["s", 0],
  "cancel c": ["x", 1],
  "cancel p": ["x", 1],
};
