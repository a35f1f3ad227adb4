import { Action, Agent, type ApiClient } from "seqqa";
import type { HttpClient } from "seqqa/adapters/http";
import { sessionEnds } from "seqqa/rules";

const bob = { email: "bob@example.org", password: "secret-34" };
type Created = { data: { id: string; access_token: string } };
const bobLogsIn = async (api: ApiClient) => api.post("/auth/login", { json: { ...bob, mode: "session" } });
const suspend = new Action<{ bob: string }>({
  name: "suspend_bob",
  run: async (api, context) => api.patch(`/users/${context.bob}`, { json: { status: "suspended" } }),
});
const activate = new Action<{ bob: string }>({
  name: "activate_bob",
  run: async (api, context) => api.patch(`/users/${context.bob}`, { json: { status: "active" } }),
});
export const agent: Agent<{ bob: string }> = new Agent<{ bob: string }>({
  name: "directus-suspended",
  setup: async ({ api, context }) => {
    const login = await api.post("/auth/login", { json: { email: "ada@example.org", password: "secret-12" } });
    (api as HttpClient).setAuthToken(login.json<Created>().data.access_token);
    context.bob = (await api.post("/users", { json: bob })).json<Created>().data.id;
  },
  actions: [suspend, activate],
  invariants: [sessionEnds({ as: "bob", login: bobLogsIn, check: async (api) => api.get("/users/me"), after: [suspend] })],
  maxDepth: 3,
});
