import { Action, Agent, storeOf, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
import type { SmtpStub } from "seqqa/adapters/stub";
import { singleUse } from "seqqa/rules";

const email = "ada@example.org";
const signUp = new Action({
  name: "sign_up",
  run: async (api) => api.post("/sign-up/email", { json: { name: "Ada", email, password: "secret-12" } }),
});
const request = new Action({
  name: "request_reset",
  run: async (api) => api.post("/request-password-reset", { json: { email } }),
});
const reset = new Action({
  name: "reset_password",
  run: async (api, context) => {
    const token = storeOf<SmtpStub>(context, "mail").matchTo(email, /token=(\S+)/);
    return token === undefined ? null : api.post("/reset-password", { json: { newPassword: "secret-34", token } });
  },
});
export const agent: Agent = new Agent({
  name: "better-auth-reset",
  world: ({ baseUrl, systems }) =>
    new World<object>({ api: new HttpClient(`${baseUrl}/api/auth`, { headers: { origin: baseUrl } }), systems }),
  actions: [signUp, request, reset],
  invariants: [singleUse({ create: request, use: reset })],
  maxDepth: 4,
});
