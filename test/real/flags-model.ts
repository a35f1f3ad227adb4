import type { Model, Outcome } from "../models/model.ts";

interface Strategy {
  /** The one that the server adds by itself when a flag without any is switched on. */
  readonly byDefault: boolean;
  readonly narrow: boolean;
  readonly segment: boolean;
}

interface Flag {
  readonly archived: boolean;
  readonly on: boolean;
  readonly tagged: boolean;
  readonly strategies: readonly Strategy[];
}

export interface Flags {
  readonly flag: Flag | null;
  /** The tag itself outlives the flag that it was made for. */
  readonly tag: boolean;
  readonly segment: "never" | "there" | "gone";
}

const ACTIONS = [
  "create_flag",
  "enable",
  "disable",
  "add_strategy",
  "narrow_strategy",
  "remove_strategy",
  "tag",
  "archive",
  "revive",
  "delete_flag",
  "create_segment",
  "delete_segment",
  "target_segment",
  "list_flags",
  "list_segments",
];

const NEW: Flag = { archived: false, on: false, tagged: false, strategies: [] };
const BY_DEFAULT: Strategy = { byDefault: true, narrow: false, segment: false };
const OURS: Strategy = { byDefault: false, narrow: false, segment: false };

/** What Unleash 6.10.1 does with `flags.explore.ts`, found out by hand, with its oddities. */
export const flags: Model<Flags> = {
  initial: { flag: null, tag: false, segment: "never" },
  actions: ACTIONS,
  step: (state, action) => {
    switch (action) {
      case "list_flags":
      case "list_segments":
        return { status: 200, state };
      case "create_flag":
        return state.flag === null ? { status: 201, state: { ...state, flag: NEW } } : { status: 409, state };
      case "create_segment":
        return state.segment === "never" ? { status: 201, state: { ...state, segment: "there" } } : null;
      case "delete_segment":
        return deleteSegment(state);
      default:
        return onFlag(state, action);
    }
  },
  broken: ({ flag }) => (flag !== null && flag.on && flag.strategies.length === 0 ? ["enabled_has_strategy"] : []),
};

function deleteSegment(state: Flags): Outcome<Flags> | null {
  if (state.segment === "never") return null;
  if (state.segment === "gone") return { status: 404, state };
  if (state.flag?.strategies.some(({ segment }) => segment) === true) return { status: 409, state };
  return { status: 204, state: { ...state, segment: "gone" } };
}

function onFlag(state: Flags, action: string): Outcome<Flags> | null {
  const { flag } = state;
  const ours = flag?.strategies.find(({ byDefault }) => !byDefault);
  if (/^(narrow|remove)_strategy$/.test(action) && ours === undefined) return null;
  if (action === "target_segment" && (ours === undefined || state.segment === "never")) return null;
  if (action === "add_strategy" && ours !== undefined) return null;
  if (flag === null) return { status: 404, state };
  const change = (status: number, changed: Partial<Flag>): Outcome<Flags> => ({
    status,
    state: { ...state, flag: { ...flag, ...changed } },
  });
  const changeOurs = (status: number, changed: Partial<Strategy>): Outcome<Flags> =>
    change(status, { strategies: flag.strategies.map((one) => (one.byDefault ? one : { ...one, ...changed })) });
  switch (action) {
    case "enable":
      if (flag.archived) return { status: 400, state };
      return change(200, { on: true, strategies: flag.strategies.length === 0 ? [BY_DEFAULT] : flag.strategies });
    case "disable":
      return flag.archived ? { status: 400, state } : change(200, { on: false });
    case "add_strategy":
      // The strategies of an archived flag can be changed, although it cannot be switched.
      return change(200, { strategies: [...flag.strategies, OURS] });
    case "narrow_strategy":
      return changeOurs(200, { narrow: true });
    case "remove_strategy": {
      const strategies = flag.strategies.filter(({ byDefault }) => byDefault);
      // Switching off what lost its last strategy is refused for an archived flag, after the strategy was removed.
      if (flag.archived && flag.on) return change(400, { strategies });
      return change(200, { strategies, on: flag.on && strategies.length > 0 });
    }
    case "tag":
      return { status: 201, state: { ...state, tag: true, flag: { ...flag, tagged: true } } };
    case "archive":
      return change(202, { archived: true });
    case "revive":
      // A flag that was not archived is switched off, too.
      return change(200, { archived: false, on: false });
    case "delete_flag":
      return flag.archived ? { status: 200, state: { ...state, flag: null } } : { status: 200, state };
    default:
      // A foreign key that nobody catches: a segment that is gone is answered with 500.
      if (state.segment === "gone") return { status: 500, state, finding: "target_segment_server_error" };
      return changeOurs(201, { segment: true });
  }
}
