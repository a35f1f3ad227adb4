import type { Model } from "./model.ts";

interface Account {
  readonly id: number;
  readonly email: string;
  readonly handle: string;
  readonly desk: number;
  readonly active: boolean;
  readonly visits: number;
}

export interface Accounts {
  /** Sorted by id. */
  readonly accounts: readonly Account[];
  readonly theme: string | null;
}

const REPLACED: Readonly<Record<string, Omit<Account, "visits">>> = {
  ann: { id: 1, email: "ann@x.org", handle: "ann", desk: 1, active: true },
  bob: { id: 2, email: "bob@x.org", handle: "bob", desk: 2, active: true },
  take_desk: { id: 3, email: "cy@x.org", handle: "cy", desk: 1, active: true },
  claim_handle: { id: 4, email: "dee@x.org", handle: "ANN", desk: 1, active: false },
  same_email: { id: 5, email: "BOB@X.ORG", handle: "eve", desk: 5, active: false },
};

/** Accounts are unique by id, email and handle in any case, and by desk among the active ones; a newer one displaces what it meets. */
export function replaceUpsert(): Model<Accounts> {
  return {
    initial: { accounts: [], theme: null },
    actions: [...Object.keys(REPLACED), "visit_ann", "seat_bob", "switch_theme"],
    step: (state, action) => {
      const { accounts, theme } = state;
      if (action === "switch_theme") return { status: 200, state: { ...state, theme: theme === "dark" ? "light" : "dark" } };
      if (action === "visit_ann") {
        const known = accounts.find(({ email }) => email.toLowerCase() === "ann@x.org");
        if (known === undefined) {
          return ok(state, put(accounts, { id: 6, email: "Ann@X.org", handle: "zed", desk: 9, active: false, visits: 0 }));
        }
        return ok(state, put(accounts, { ...known, visits: Math.min(known.visits + 1, 2) }));
      }
      if (action === "seat_bob") {
        const second = accounts.find(({ id }) => id === 2);
        return second === undefined ? { status: 404, state } : ok(state, put(accounts, { ...second, desk: 1, active: true }));
      }
      const account = REPLACED[action];
      if (account === undefined) throw new Error(`no action ${action}`);
      return ok(state, put(accounts, { ...account, visits: 0 }));
    },
    broken: () => [],
  };
}

const ok = (state: Accounts, accounts: readonly Account[]): { status: number; state: Accounts } => ({
  status: 200,
  state: { ...state, accounts },
});

/** The accounts with this one, without those that it displaces. */
function put(accounts: readonly Account[], newer: Account): readonly Account[] {
  const meets = (older: Account): boolean =>
    older.id === newer.id ||
    older.email.toLowerCase() === newer.email.toLowerCase() ||
    older.handle.toLowerCase() === newer.handle.toLowerCase() ||
    (older.active && newer.active && older.desk === newer.desk);
  return [...accounts.filter((older) => !meets(older)), newer].sort((a, b) => a.id - b.id);
}
