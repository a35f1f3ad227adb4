import type { Model } from "./model.ts";

interface Item {
  readonly owner: string;
  readonly deletedBy: string | null;
}

export interface Login {
  /** Who has a token, sorted. */
  readonly loggedIn: readonly string[];
  readonly items: readonly Item[];
}

/** Two users and at most two items. `bug`: whoever is logged in may delete any item. */
export function login(bug: boolean): Model<Login> {
  return {
    initial: { loggedIn: [], items: [] },
    actions: ["alice", "bob"].flatMap((user) => ["login", "create", "read", "delete_1", "delete_2"].map((verb) => `${user}_${verb}`)),
    step: (state, action) => {
      const [user, verb, id] = action.split("_") as [string, string, string | undefined];
      if (verb === "login") return { status: 200, state: { ...state, loggedIn: [...new Set([...state.loggedIn, user])].sort() } };
      if (!state.loggedIn.includes(user)) return { status: 401, state };
      if (verb === "read") return { status: 200, state };
      if (verb === "create") {
        if (state.items.length >= 2) return { status: 409, state };
        return { status: 201, state: { ...state, items: [...state.items, { owner: user, deletedBy: null }] } };
      }
      const at = Number(id) - 1;
      const item = state.items[at];
      if (item === undefined || item.deletedBy !== null) return { status: 404, state };
      if (item.owner !== user && !bug) return { status: 403, state };
      return {
        status: 204,
        state: { ...state, items: state.items.map((old, index) => (index === at ? { ...old, deletedBy: user } : old)) },
      };
    },
    broken: (state) =>
      state.items.some((item) => item.deletedBy !== null && item.deletedBy !== item.owner) ? ["deleted_by_owner_only"] : [],
  };
}
