import type { Model } from "./model.ts";

/** A letter per seat (free, reserved, sold), and how many count as sold. */
export type Seats = readonly [seats: string, sold: number];

/** Three seats. `bug`: a sold seat can be given back, and still counts as sold. */
export function remote(bug: boolean): Model<Seats> {
  return {
    initial: ["fff", 0],
    actions: [1, 2, 3].flatMap((id) => ["reserve", "pay", "release"].map((verb) => `${verb}_${id}`)),
    step: (state, action) => {
      const [verb, id] = action.split("_") as [string, string];
      const at = Number(id) - 1;
      const [seats, sold] = state;
      const becomes = (seat: string, more = 0): { status: number; state: Seats } => ({
        status: 200,
        state: [seats.slice(0, at) + seat + seats.slice(at + 1), sold + more],
      });
      switch (`${verb} ${seats.charAt(at)}`) {
        case "reserve f":
          return becomes("r");
        case "pay r":
          return becomes("s", 1);
        case "release r":
          return becomes("f");
        case "release s":
          return bug ? becomes("f") : { status: 409, state };
        default:
          return { status: 409, state };
      }
    },
    broken: ([seats, sold]) => (seats.split("s").length - 1 === sold ? [] : ["sold_seats_are_counted", "count_shown_is_right"]),
  };
}
