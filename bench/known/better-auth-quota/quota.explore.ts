import { Action, Agent } from "seqqa";

const use = new Action<{ key: string }>({
  name: "call_with_key",
  run: async (api, { key }) => api.post("/call", { headers: { "X-API-Key": key } }),
});
export const agent: Agent<{ key: string }> = new Agent<{ key: string }>({
  name: "better-auth-quota",
  setup: async ({ api, context }) => void (context.key = (await api.post("/keys")).json<{ key: string }>().key),
  actions: [use],
  invariants: [],
  maxDepth: 3,
});
