import { Action, Agent } from "seqqa";
import type { HttpClient } from "seqqa/adapters/http";
import { ownership } from "seqqa/rules";

type Base = { base: string; token_id: string };
const account = (name: string) => ({ email: `${name}@example.org`, password: "Secret-12" });
const logIn = (name: string) => async (api: HttpClient) => {
  const answer = await api.post("/api/v1/auth/user/signin", { json: account(name) });
  api.setHeader("xc-auth", answer.json<{ token: string }>().token);
  return answer;
};
const create = new Action<Base, HttpClient>({
  name: "create_token",
  precondition: (context) => !context.has("token_id"),
  run: async (api, context) => {
    const answer = await api.post(`/api/v2/internal/nc/${context.base}?operation=mcpCreate`, { json: { title: "mine" } });
    if (answer.ok) context.token_id = answer.json<{ id: string }>().id;
    return answer;
  },
});
const onToken = (name: string, call: (api: HttpClient, path: string, id: string) => ReturnType<HttpClient["get"]>) =>
  new Action<Base, HttpClient>({
    name,
    precondition: (context) => context.has("token_id"),
    run: async (api, { base, token_id }) => call(api, `/api/v2/internal/nc/${base}?operation=`, token_id),
  });
export const agent: Agent<Base, HttpClient> = new Agent<Base, HttpClient>({
  name: "nocodb-mcp",
  setup: async ({ api, context }) => {
    for (const name of ["ada", "bob"]) await api.post("/api/v1/auth/user/signup", { json: account(name) });
    await logIn("ada")(api);
    context.base = (await api.post("/api/v2/meta/bases", { json: { title: "Shared" } })).json<{ id: string }>().id;
    await api.post(`/api/v2/meta/bases/${context.base}/users`, { json: { email: account("bob").email, roles: "creator" } });
  },
  actions: [
    create,
    onToken("read_token", (api, path, id) => api.get(`${path}mcpGet&tokenId=${id}`)),
    onToken("renew_token", (api, path, id) => api.post(`${path}mcpUpdate`, { json: { tokenId: id } })),
    onToken("delete_token", (api, path, id) => api.post(`${path}mcpDelete`, { json: { tokenId: id } })),
  ],
  invariants: [ownership<Base, HttpClient>({ users: { bob: logIn("bob") }, shared: ["base"] })],
  maxDepth: 3,
});
