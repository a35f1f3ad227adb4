import { Action, Agent, storeOf, type ApiClient, type Context } from "seqqa";
import type { SmtpStub } from "seqqa/adapters/stub";
import { sessionEnds } from "seqqa/rules";

type Account = Record<"password" | "refreshToken", string>;
const email = "ada@example.org";
const logIn = async (api: ApiClient, context: Context<Account>) => {
  const answer = await api.post("/api/auth/local", { json: { identifier: email, password: context.get("password") ?? "secret-12" } });
  if (answer.ok) context.set("refreshToken", answer.json<Account>().refreshToken);
  return answer;
};
const forget = new Action<Account>({
  name: "forget_password",
  run: async (api) => api.post("/api/auth/forgot-password", { json: { email } }),
});
const reset = new Action<Account>({
  name: "reset_password",
  run: async (api, context) => {
    const code = storeOf<SmtpStub>(context, "mail").matchTo(email, /code=(\w+)/);
    if (code === undefined) return null;
    const json = { code, password: "secret-34", passwordConfirmation: "secret-34" };
    const answer = await api.post("/api/auth/reset-password", { json });
    if (answer.ok) context.set("password", "secret-34");
    return answer;
  },
});
const check = async (api: ApiClient, context: Context<Account>) =>
  api.post("/api/auth/refresh", { json: { refreshToken: context.get("refreshToken") } });
export const agent: Agent<Account> = new Agent<Account>({
  name: "strapi-reset",
  setup: async ({ api }) => void (await api.post("/api/auth/local/register", { json: { username: "ada", email, password: "secret-12" } })),
  actions: [forget, reset],
  invariants: [sessionEnds({ login: logIn, check, after: [reset] })],
  maxDepth: 3,
});
