import { Action, Agent, storeOf, type ApiClient } from "seqqa";
import type { SmtpStub } from "seqqa/adapters/stub";
import { sessionEnds } from "seqqa/rules";

const ada = { email: "ada@example.org", password: "Secret-12" };
const logIn = async (api: ApiClient) => api.post("/api/v1/auth/user/signin", { json: ada });
const forget = new Action({
  name: "forget_password",
  run: async (api) => api.post("/api/v1/auth/password/forgot", { json: { email: ada.email } }),
});
const reset = new Action({
  name: "reset_password",
  run: async (api, context) => {
    const token = storeOf<SmtpStub>(context, "mail").matchTo(ada.email, /password\/reset\/([\w-]+)/);
    return token === undefined ? null : api.post(`/api/v1/auth/password/reset/${token}`, { json: { password: "Secret-34" } });
  },
});
export const agent: Agent = new Agent({
  name: "nocodb-reset",
  setup: async ({ api }) => void (await api.post("/api/v1/auth/user/signup", { json: ada })),
  actions: [forget, reset],
  invariants: [sessionEnds({ login: logIn, check: async (api) => api.post("/api/v1/auth/token/refresh"), after: [reset] })],
  maxDepth: 3,
});
