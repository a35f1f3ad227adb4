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
const path = (base: string, operation: string): string => `/api/v2/internal/nc/${base}?operation=${operation}`;
const onToken = (name: string, call: (api: HttpClient, base: string, tokenId: string) => ReturnType<HttpClient["get"]>) =>
  new Action<Base, HttpClient>({ name, run: async (api, { base, token_id }) => call(api, base, token_id) });

export const agent: Agent<Base, HttpClient> = new Agent<Base, HttpClient>({
  name: "nocodb-mcp",
  setup: async ({ api, context }) => {
    for (const name of ["ada", "bob"]) await api.post("/api/v1/auth/user/signup", { json: account(name) });
    await logIn("ada")(api);
    context.base = (await api.post("/api/v2/meta/bases", { json: { title: "Shared" } })).json<{ id: string }>().id;
    await api.post(`/api/v2/meta/bases/${context.base}/users`, { json: { email: account("bob").email, roles: "creator" } });
    context.token_id = (await api.post(path(context.base, "mcpCreate"), { json: { title: "mine" } })).json<{ id: string }>().id;
  },
  actions: [
    onToken("read_token", (api, base, tokenId) => api.get(`${path(base, "mcpGet")}&tokenId=${tokenId}`)),
    onToken("renew_token", (api, base, tokenId) => api.post(path(base, "mcpUpdate"), { json: { tokenId } })),
    onToken("delete_token", (api, base, tokenId) => api.post(path(base, "mcpDelete"), { json: { tokenId } })),
  ],
  invariants: [ownership<Base, HttpClient>({ users: { bob: logIn("bob") }, shared: ["base"] })],
  maxDepth: 2,
});
