import type { Race, RaceOutcome } from "../../../model/results/result.ts";
import { distinctOutcomes, ordinal, orderText } from "../../console/findings/race-text.ts";
import { cut } from "../../console/text/printable.ts";
import { text } from "../text/safe-text.ts";

type Drawn = Pick<Race, "observed" | "allowed" | "first" | "second" | "copies" | "schedule">;

/** An arrow of a sequence diagram for the request or the answer of a call, or a note beside the target. `side` is the index of the call. */
interface Message {
  readonly side: number;
  readonly kind: "request" | "answer" | "note";
  readonly text: string;
}

/**
 * `SIDES`, `ORDERS`: the largest numbers of calls and of orders that are drawn as diagrams. The comparison of outcomes shows all calls and orders.
 */
const SIDES = 3;
const ORDERS = 2;
/** `LANE`, `ROW`, `TOP`: distances in the diagram, in SVG units. `LETTERS`: the largest number of characters of a label. */
const LANE = 190;
const ROW = 34;
const TOP = 46;
const LETTERS = 25;

/**
 * Returns sequence diagrams of a race: of the simultaneous calls, and of the calls one after another. The comparison of outcomes gives the same
 * information as text.
 */
export function sequencePart(race: Drawn): string {
  const sides = race.observed.calls.slice(0, SIDES).map(({ action }, side) => `${ordinal(side)}: ${action}`);
  if (sides.length === 0) return "";
  const orders = distinctOutcomes(race, race.allowed)
    .filter(({ calls }) => calls.length > 0)
    .slice(0, ORDERS);
  const figures = [
    figure("At the same time", sides, together(race), true),
    ...orders.map((outcome) => figure(orderText(race, outcome), sides, inTurn(outcome), false)),
  ];
  return `<section class="sequences"><h4>Sequence</h4><div class="columns">${figures.join("")}</div></section>`;
}

const answerOf = (outcome: RaceOutcome, side: number): Message => ({
  side,
  kind: "answer",
  text: String(outcome.calls[side]?.status ?? "no answer"),
});
const requestOf = (outcome: RaceOutcome, side: number): Message => ({ side, kind: "request", text: lineOf(outcome, side) });

/** Returns the arrows for simultaneous calls: all requests, then all answers. If a store held a write of one call, this call is answered last. */
function together({ observed, schedule }: Drawn): readonly Message[] {
  const sides = observed.calls.slice(0, SIDES).map((_, side) => side);
  if (schedule === undefined || schedule.held >= sides.length)
    return [...sides.map((side) => requestOf(observed, side)), ...sides.map((side) => answerOf(observed, side))];
  const others = sides.filter((side) => side !== schedule.held);
  return [
    requestOf(observed, schedule.held),
    { side: schedule.held, kind: "note", text: `held before ${schedule.statement}` },
    ...others.map((side) => requestOf(observed, side)),
    ...others.map((side) => answerOf(observed, side)),
    answerOf(observed, schedule.held),
  ];
}

function inTurn(outcome: RaceOutcome): readonly Message[] {
  const order = (outcome.order ?? []).filter((side) => side < SIDES);
  return order.flatMap((side) => [requestOf(outcome, side), answerOf(outcome, side)]);
}

function lineOf({ calls }: RaceOutcome, side: number): string {
  const request = calls[side]?.requests[0]?.request;
  if (request === undefined) return calls[side]?.action ?? "";
  return `${request.method} ${request.url.replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/\?.*/s, "")}`;
}

/** Returns one sequence diagram as SVG. The first call is on the left of the target, the other calls are on the right. */
function figure(title: string, sides: readonly string[], messages: readonly Message[], isObserved: boolean): string {
  const lanes = [sides[0]!, "target", ...sides.slice(1)];
  const laneOf = (side: number): number => (side === 0 ? 0 : side + 1);
  const x = (lane: number): number => LANE / 2 + lane * LANE;
  const height = TOP + messages.length * ROW + 12;
  const heads = lanes.map(
    (name, lane) =>
      `<line class="lane" x1="${x(lane)}" y1="26" x2="${x(lane)}" y2="${height}"></line><text class="who" x="${x(lane)}" y="16">${label(name)}</text>`,
  );
  const drawn = messages.map(({ side, kind, text: said }, index) => {
    const y = TOP + index * ROW;
    const [own, target] = [x(laneOf(side)), x(1)];
    if (kind === "note") return `<text class="held" x="${target}" y="${y}">${label(said, 30)}</text>`;
    const [from, to] = kind === "request" ? [own, target] : [target, own];
    const tip = to > from ? -7 : 7;
    return [
      `<line class="${kind}" x1="${from}" y1="${y}" x2="${to}" y2="${y}"></line>`,
      `<path class="tip" d="M${to} ${y}l${tip} -4v8z"></path>`,
      `<text x="${(from + to) / 2}" y="${y - 6}">${label(said)}</text>`,
    ].join("");
  });
  const width = lanes.length * LANE;
  return `<figure class="sequence${isObserved ? " observed" : ""}"><figcaption>${text(title)}</figcaption><svg viewBox="0 0 ${width} ${height}" aria-hidden="true">${heads.join("")}${drawn.join("")}</svg></figure>`;
}

const label = (value: string, most: number = LETTERS): string => text(cut(value, most));
