import { Action, Agent, Invariant, Severity, type ApiClient, type ApiResponse, type Context, type World } from "seqqa";
import type { PostgresAdapter } from "seqqa/adapters/postgres";
import { LaneWorld } from "./lane-world.ts";

interface Flags {
  strategy_id: string;
  segment_id: number;
  archived: boolean;
}

const ADMIN = "/api/admin";
const FLAGS = `${ADMIN}/projects/default/features`;
const FLAG = `${FLAGS}/checkout`;
const DEVELOPMENT = `${FLAG}/environments/development`;
const NARROW = [{ op: "replace", path: "/parameters/rollout", value: "25" }];

type Run = (api: ApiClient, context: Context<Flags>) => Promise<ApiResponse | null>;
const act = (name: string, run: Run, precondition?: (context: Context<Flags>) => boolean): Action<Flags> =>
  new Action<Flags>({ name, run, ...(precondition === undefined ? {} : { precondition }) });

const hasStrategy = (context: Context<Flags>): boolean => context.has("strategy_id");
const hasSegment = (context: Context<Flags>): boolean => context.has("segment_id");
const strategyOf = (context: Context<Flags>): string => `${DEVELOPMENT}/strategies/${context.getRequired("strategy_id")}`;

/** The life of one flag, its strategy and a segment; what does not apply is mostly sent all the same, and refused. `test/real/flags-model.ts` says it again. */
const actions: readonly Action<Flags>[] = [
  act("create_flag", (api) => api.post(FLAGS, { json: { name: "checkout", type: "release" } })),
  act("enable", (api) => api.post(`${DEVELOPMENT}/on`)),
  act("disable", (api) => api.post(`${DEVELOPMENT}/off`)),
  act(
    "add_strategy",
    async (api, context) => {
      const parameters = { rollout: "50", stickiness: "default", groupId: "checkout" };
      const response = await api.post(`${DEVELOPMENT}/strategies`, { json: { name: "flexibleRollout", parameters } });
      if (response.ok) context.set("strategy_id", response.json<{ id: string }>().id);
      return response;
    },
    (context) => !hasStrategy(context),
  ),
  act("narrow_strategy", (api, context) => api.patch(strategyOf(context), { json: NARROW }), hasStrategy),
  act(
    "remove_strategy",
    async (api, context) => {
      const response = await api.delete(strategyOf(context));
      // Where an archived flag is on, the answer is 400, and the strategy is removed all the same.
      if (response.ok || response.status === 400) context.delete("strategy_id");
      return response;
    },
    hasStrategy,
  ),
  act("tag", (api) => api.post(`${ADMIN}/features/checkout/tags`, { json: { type: "simple", value: "core" } })),
  act("archive", async (api, context) => {
    const response = await api.delete(FLAG);
    if (response.ok) context.set("archived", true);
    return response;
  }),
  act("revive", async (api, context) => {
    const response = await api.post(`${ADMIN}/archive/revive/checkout`);
    if (response.ok) context.delete("archived");
    return response;
  }),
  act("delete_flag", async (api, context) => {
    const response = await api.delete(`${ADMIN}/archive/checkout`);
    // For a flag that is not archived the answer is 200, too, and nothing is deleted.
    if (response.ok && context.has("archived")) {
      context.delete("archived");
      context.delete("strategy_id");
    }
    return response;
  }),
  act(
    "create_segment",
    async (api, context) => {
      const response = await api.post(`${ADMIN}/segments`, { json: { name: "eu", constraints: [] } });
      context.set("segment_id", response.json<{ id: number }>().id);
      return response;
    },
    (context) => !hasSegment(context),
  ),
  act("delete_segment", (api, context) => api.delete(`${ADMIN}/segments/${context.getRequired("segment_id")}`), hasSegment),
  act(
    "target_segment",
    (api, context) => {
      const strategyId = context.getRequired("strategy_id");
      const segmentIds = [context.getRequired("segment_id")];
      return api.post(`${ADMIN}/segments/strategies`, {
        json: { projectId: "default", environmentId: "development", strategyId, segmentIds },
      });
    },
    (context) => hasStrategy(context) && hasSegment(context),
  ),
  act("list_flags", (api) => api.get(FLAGS)),
  act("list_segments", (api) => api.get(`${ADMIN}/segments`)),
];

interface Listed {
  readonly features: readonly {
    readonly name: string;
    readonly environments: readonly { readonly name: string; readonly enabled: boolean }[];
  }[];
}

const query = (world: World<Flags>, sql: string): Promise<readonly Record<string, unknown>[]> =>
  (world.systems["db"] as PostgresAdapter).query(sql);

/** The API and the store, each on its own way, say the same. */
const listIsStore = new Invariant<Flags>({
  name: "list_is_what_is_stored",
  severity: Severity.CRITICAL,
  message: "the list of flags is not what the store says",
  check: async (world) => {
    const listed = (await world.api.get(FLAGS))
      .json<Listed>()
      .features.map(({ name, environments }) => [name, environments.some((one) => one.name === "development" && one.enabled)]);
    const stored = await query(
      world,
      `SELECT name, enabled FROM features JOIN feature_environments ON feature_name = name AND environment = 'development'
        WHERE archived_at IS NULL ORDER BY name`,
    );
    return JSON.stringify(listed) === JSON.stringify(stored.map(({ name, enabled }) => [name, enabled]));
  },
});

const enabledHasStrategy = new Invariant<Flags>({
  name: "enabled_has_strategy",
  message: "a flag is on without a strategy",
  check: async (world) => {
    const without = `SELECT 1 FROM feature_environments e WHERE enabled AND environment = 'development' AND NOT EXISTS
      (SELECT 1 FROM feature_strategies s WHERE s.feature_name = e.feature_name AND s.environment = e.environment)`;
    return (await query(world, without)).length === 0;
  },
});

export const agent: Agent<Flags> = new Agent<Flags>({
  name: "flags",
  world: (lane) => new LaneWorld<Flags>(lane),
  actions,
  invariants: [
    // Checked in the root state first of all.
    new Invariant<Flags>({ name: "root_is_kept", when: () => false, check: (world) => (world as LaneWorld<Flags>).keepRoot() }),
    listIsStore,
    enabledHasStrategy,
  ],
});
