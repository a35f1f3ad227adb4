import { Action, Agent, storeOf, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
import type { SmtpStub } from "seqqa/adapters/stub";
import { singleUse } from "seqqa/rules";

const email = "ada@example.org";
const request = new Action({ name: "request_reset", run: async (api) => api.post("/requestPasswordReset", { json: { email } }) });
const reset = new Action({
  name: "reset_password",
  run: async (api, context) => {
    const token = storeOf<SmtpStub>(context, "mail").matchTo(email, /token=(\w+)/);
    if (token === undefined) return null;
    return api.post("/apps/app/request_password_reset", { form: { token, new_password: "secret-34" } });
  },
});
export const agent: Agent = new Agent({
  name: "parse-reset",
  world: ({ baseUrl, systems }) =>
    new World<object>({ api: new HttpClient(`${baseUrl}/parse`, { headers: { "X-Parse-Application-Id": "app" } }), systems }),
  setup: async ({ api }) => void (await api.post("/users", { json: { username: "ada", password: "secret-12", email } })),
  actions: [request, reset],
  invariants: [singleUse({ create: request, use: reset })],
  maxDepth: 3,
});
