import { createRequire } from "node:module";
import { Action, Agent, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
import { singleUse } from "seqqa/rules";

const { Secret, TOTP } = createRequire(`${process.env["SERVER"]}/package.json`)("otpauth");
const secret = Secret.fromBase32("JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP");
const ada = { username: "ada", password: "secret-1" };
type Account = Record<"objectId" | "sessionToken" | "code", string>;
const enrol = new Action<Account>({
  name: "enrol",
  precondition: (context) => !context.has("code"),
  run: async (api, context) => {
    const json = { authData: { mfa: { secret: secret.base32, token: new TOTP({ secret }).generate() } } };
    const answer = await api.put(`/users/${context.objectId}`, { json, headers: { "X-Parse-Session-Token": context.sessionToken } });
    const codes = answer.json<{ authDataResponse?: { mfa: { recovery: string } } }>().authDataResponse?.mfa.recovery.split(",");
    if (codes !== undefined) context.code = codes[0]!;
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
  setup: async ({ api, context }) => void Object.assign(context, (await api.post("/users", { json: ada })).json<Account>()),
  actions: [enrol, recover],
  invariants: [singleUse({ create: enrol, use: recover })],
  maxDepth: 4,
});
