import type { Model } from "./model.ts";

/** A digit per flag, the steps of the wizard that are done, and the certificate. */
export type Deep = readonly [flags: string, done: number, certified: boolean];

const FLAGS = 8;
const STEPS = 8;

/** Eight switches and a wizard of eight steps. `bug`: the last step forgets the certificate. */
export function deep(bug: boolean): Model<Deep> {
  const numbered = (word: string, count: number): readonly string[] => Array.from({ length: count }, (_, index) => `${word}_${index + 1}`);
  return {
    initial: ["0".repeat(FLAGS), 0, false],
    actions: [...numbered("toggle", FLAGS), ...numbered("step", STEPS)],
    step: (state, action) => {
      const [flags, done, certified] = state;
      const [word, text] = action.split("_") as [string, string];
      const number = Number(text);
      if (word === "toggle") {
        const flipped = flags.charAt(number - 1) === "0" ? "1" : "0";
        return { status: 200, state: [flags.slice(0, number - 1) + flipped + flags.slice(number), done, certified] };
      }
      if (number !== done + 1) return { status: 409, state };
      return { status: 201, state: [flags, number, number === STEPS && !bug] };
    },
    broken: ([, done, certified]) => (done === STEPS && !certified ? ["finished_is_certified", "finished_is_shown_certified"] : []),
  };
}
