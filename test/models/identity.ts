import type { Model } from "./model.ts";

/** The numbers of what was made, sorted. */
export type Made = readonly number[];

/** Creates that can each be done once, in any order. */
export function uuidCreates(creates: number): Model<Made> {
  return {
    initial: [],
    actions: Array.from({ length: creates }, (_, index) => `create_${index + 1}`),
    step: (state, action) => {
      const number = Number(action.slice("create_".length));
      return state.includes(number) ? { status: 409, state } : { status: 201, state: [...state, number].sort((a, b) => a - b) };
    },
    broken: () => [],
  };
}

export interface Tickets {
  /** How many ids were ever issued, deleted ones included. */
  readonly ticketsIssued: number;
  readonly tickets: readonly number[];
  readonly commentsIssued: number;
  readonly comments: readonly (readonly [id: number, ticket: number])[];
}

/** Ids are never issued again, and at most `limit` of each kind. */
export function autoincrement(limit = 3): Model<Tickets> {
  return {
    initial: { ticketsIssued: 0, tickets: [], commentsIssued: 0, comments: [] },
    actions: ["open", "close_first", "close_last", "comment_last"],
    step: (state, action) => {
      if (action === "open") {
        if (state.ticketsIssued >= limit) return { status: 409, state };
        const id = state.ticketsIssued + 1;
        return { status: 201, state: { ...state, ticketsIssued: id, tickets: [...state.tickets, id] } };
      }
      const ticket = action === "close_first" ? state.tickets[0] : state.tickets.at(-1);
      if (ticket === undefined) return { status: 404, state };
      if (action !== "comment_last") {
        const tickets = state.tickets.filter((id) => id !== ticket);
        return { status: 204, state: { ...state, tickets, comments: state.comments.filter(([, of]) => of !== ticket) } };
      }
      if (state.commentsIssued >= limit) return { status: 409, state };
      const id = state.commentsIssued + 1;
      return { status: 201, state: { ...state, commentsIssued: id, comments: [...state.comments, [id, ticket]] } };
    },
    broken: () => [],
  };
}

/** Per note, `null` before it exists: whether it was touched and whether it was closed. When, does not count. */
export type Notes = readonly ({ readonly touched: boolean; readonly closed: boolean } | null)[];

export function times(): Model<Notes> {
  return {
    initial: [null, null],
    actions: [1, 2].flatMap((id) => ["create", "touch", "close"].map((verb) => `${verb}_${id}`)),
    step: (state, action) => {
      const [verb, id] = action.split("_") as [string, string];
      const at = Number(id) - 1;
      const note = state[at] ?? null;
      const to = (next: Notes[number]): Notes => state.map((old, index) => (index === at ? next : old));
      if (verb === "create") return note !== null ? { status: 409, state } : { status: 201, state: to({ touched: false, closed: false }) };
      if (note === null) return { status: 404, state };
      return { status: 200, state: to({ touched: note.touched || verb === "touch", closed: note.closed || verb === "close" }) };
    },
    broken: () => [],
  };
}

export interface Order {
  /** The total that the order shows; `null`: there is no order. */
  readonly total: number | null;
  /** The prices of lines 1 and 2; `null`: there is no such line. */
  readonly prices: readonly [number | null, number | null];
  /** `line event`, sorted. */
  readonly history: readonly string[];
}

/** `bug`: a new price changes neither the total nor the history. */
export function ownTriggers(bug: boolean): Model<Order> {
  const lines = [1, 2].flatMap((line) => ["add", "reprice", "remove"].map((verb) => `${verb}_${line}`));
  return {
    initial: { total: null, prices: [null, null], history: [] },
    actions: ["open", "drop", ...lines],
    step: (state, action) => {
      const { total, prices, history } = state;
      const noted = (...events: readonly string[]): readonly string[] => [...new Set([...history, ...events])].sort();
      if (action === "open") return total === null ? { status: 201, state: { ...state, total: 0 } } : { status: 409, state };
      if (total === null) return { status: 404, state };
      if (action === "drop") {
        const removed = prices.flatMap((price, index) => (price === null ? [] : [`${index + 1} removed`]));
        return { status: 204, state: { total: null, prices: [null, null], history: noted(...removed) } };
      }
      const [verb, line] = action.split("_") as [string, string];
      const at = Number(line) - 1;
      const price = prices[at] ?? null;
      const to = (next: number | null): Order["prices"] => (at === 0 ? [next, prices[1]] : [prices[0], next]);
      if (verb === "add") {
        if (price !== null) return { status: 409, state };
        const added = at === 0 ? 10 : 20;
        return { status: 201, state: { total: total + added, prices: to(added), history: noted(`${line} added`) } };
      }
      if (price === null) return { status: 404, state };
      if (verb === "remove") return { status: 204, state: { total: total - price, prices: to(null), history: noted(`${line} removed`) } };
      if (price === 50) return { status: 409, state };
      return bug
        ? { status: 200, state: { ...state, prices: to(50) } }
        : { status: 200, state: { total: total + 50 - price, prices: to(50), history: noted(`${line} repriced`) } };
    },
    broken: ({ total, prices }) =>
      total === null || total === (prices[0] ?? 0) + (prices[1] ?? 0) ? [] : ["total_is_sum", "shown_total_is_sum"],
  };
}
