import { createRequire } from "node:module";
import { Action, Agent, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
import { singleUse } from "seqqa/rules";

const { Secret, TOTP } = createRequire(`${process.env["SERVER"]}/package.json`)("otpauth");
const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
const ada = { username: "ada", password: "secret-1" };
interface Account {
  id: string;
  token: string;
  code: string;
}

const signUp = new Action<Account>({
  name: "sign_up",
  run: async (api, context) => {
    const answer = await api.post("/users", { json: ada });
    if (answer.ok) {
      const { objectId, sessionToken } = answer.json<{ objectId: string; sessionToken: string }>();
      Object.assign(context, { id: objectId, token: sessionToken });
    }
    return answer;
  },
});
const enrol = new Action<Account>({
  name: "enrol",
  precondition: (context) => context.has("id") && !context.has("code"),
  run: async (api, context) => {
    const token = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    const json = { authData: { mfa: { secret, token } } };
    const answer = await api.put(`/users/${context.id}`, { json, headers: { "X-Parse-Session-Token": context.token } });
    if (answer.ok)
      [context.code = ""] = answer.json<{ authDataResponse: { mfa: { recovery: string } } }>().authDataResponse.mfa.recovery.split(",");
    return answer;
  },
});
const recover = new Action<Account>({
  name: "log_in_with_recovery_code",
  precondition: (context) => context.has("code"),
  run: async (api, { code }) => api.post("/login", { json: { ...ada, authData: { mfa: { token: code } } } }),
});
export const agent: Agent<Account> = new Agent<Account>({
  name: "parse-recovery",
  world: ({ baseUrl, systems }) =>
    new World<Account>({ api: new HttpClient(`${baseUrl}/parse`, { headers: { "X-Parse-Application-Id": "app" } }), systems }),
  actions: [signUp, enrol, recover],
  invariants: [singleUse({ create: enrol, use: recover })],
  maxDepth: 4,
});
