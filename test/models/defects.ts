import type { Model } from "./model.ts";

/** Whether each file was deleted, and the usage counter. */
export interface Files {
  readonly deleted: readonly boolean[];
  readonly used: number;
}

/** `bug`: deleting a deleted file counts down again. */
export function doubleDelete(bug: boolean): Model<Files> {
  return {
    initial: { deleted: [], used: 0 },
    actions: ["upload", "delete_1", "delete_2"],
    step: (state, action) => {
      if (action === "upload") {
        if (state.deleted.length === 2) return { status: 409, state };
        return { status: 201, state: { deleted: [...state.deleted, false], used: state.used + 1 } };
      }
      const at = action === "delete_1" ? 0 : 1;
      const gone = state.deleted[at];
      if (gone === undefined || (gone && !bug)) return { status: 404, state };
      return { status: 204, state: { deleted: state.deleted.map((old, index) => old || index === at), used: state.used - 1 } };
    },
    broken: ({ deleted, used }) => (used === deleted.filter((gone) => !gone).length ? [] : ["usage_counts_files", "usage_shown_is_right"]),
  };
}

/** Per note: does it exist, and is there a copy among the recent ones. */
export type Notes = readonly (readonly [exists: boolean, copied: boolean])[];

/** `bug`: deleting a note leaves its copy. */
export function staleRead(bug: boolean): Model<Notes> {
  return {
    initial: [
      [false, false],
      [false, false],
    ],
    actions: [1, 2].flatMap((id) => ["create", "open", "delete"].map((verb) => `${verb}_${id}`)),
    step: (state, action) => {
      const [verb, id] = action.split("_") as [string, string];
      const at = Number(id) - 1;
      const [exists, copied] = state[at] as Notes[number];
      const to = (note: Notes[number]): Notes => state.map((old, index) => (index === at ? note : old));
      if (verb === "create") return exists ? { status: 409, state } : { status: 201, state: to([true, copied]) };
      if (verb === "open") {
        if (copied) return { status: 200, state };
        return exists ? { status: 200, state: to([true, true]) } : { status: 404, state };
      }
      return exists ? { status: 204, state: to([false, bug && copied]) } : { status: 404, state };
    },
    broken: (state) => (state.some(([exists, copied]) => copied && !exists) ? ["no_copy_of_deleted", "recent_can_be_read"] : []),
  };
}

export interface Cart {
  readonly items: number;
  readonly coupon: boolean;
  /** How many items there were when the coupon was applied; only where the bug makes it matter. */
  readonly couponOn: number | null;
  readonly total: number | null;
}

/** `total`: the discount is fixed when the coupon is applied. `crash`: a coupon on an empty cart makes the checkout fail. */
export function orderDependent(bug: "none" | "total" | "crash"): Model<Cart> {
  const remembered = (items: number): number | null => (bug === "total" ? items : bug === "crash" ? Math.min(items, 1) : null);
  return {
    initial: { items: 0, coupon: false, couponOn: null, total: null },
    actions: ["add_item", "apply_coupon", "checkout"],
    step: (state, action) => {
      const { items, coupon, couponOn, total } = state;
      if (total !== null) return { status: 409, state };
      if (action === "add_item") return items === 2 ? { status: 409, state } : { status: 201, state: { ...state, items: items + 1 } };
      if (action === "apply_coupon") {
        return coupon ? { status: 409, state } : { status: 200, state: { ...state, coupon: true, couponOn: remembered(items) } };
      }
      if (items === 0) return { status: 409, state };
      if (bug === "crash" && coupon && couponOn === 0) return { status: 500, state, finding: "checkout_server_error" };
      const discounted = !coupon ? 0 : bug === "total" ? (couponOn ?? 0) : items;
      return { status: 200, state: { ...state, total: 100 * items - 10 * discounted } };
    },
    broken: ({ items, coupon, total }) =>
      total === null || total === items * (coupon ? 90 : 100) ? [] : ["total_is_right", "shown_total_is_right"],
  };
}

/** How often each of the keys a, b, c was charged. */
export type Payments = readonly [number, number, number];

/** `bug`: a retry charges again. */
export function idempotency(bug: boolean): Model<Payments> {
  return {
    initial: [0, 0, 0],
    actions: ["charge_a", "charge_b", "charge_c"],
    step: (state, action) => {
      const at = ["charge_a", "charge_b", "charge_c"].indexOf(action);
      if ((state[at] ?? 0) > 0 && !bug) return { status: 200, state };
      if (state.reduce((sum, times) => sum + times, 0) === 10) return { status: 402, state };
      return { status: 201, state: state.map((times, index) => (index === at ? times + 1 : times)) as unknown as Payments };
    },
    broken: (state) => (state.some((times) => times > 1) ? ["one_payment_per_key", "balance_shown_is_right"] : []),
  };
}

/** How often each of the jobs a, b runs, 0 where it was not submitted, as it is when everything late has been committed. */
export type Jobs = readonly [number, number];

/** `bug`: an accepted job runs twice. */
export function late(bug: boolean): Model<Jobs> {
  return {
    initial: [0, 0],
    actions: ["submit_a", "submit_b", "list"],
    step: (state, action) => {
      if (action === "list") return { status: 200, state };
      const at = action === "submit_a" ? 0 : 1;
      if (state[at] !== 0) return { status: 200, state };
      return { status: 202, state: state.map((runs, index) => (index === at ? (bug ? 2 : 1) : runs)) as unknown as Jobs };
    },
    broken: (state) => (state.some((runs) => runs > 1) ? ["jobs_run_once", "jobs_shown_run_once"] : []),
  };
}
