import { Action, Agent, storeOf } from "seqqa";
import type { SmtpStub } from "seqqa/adapters/stub";
import { singleUse } from "seqqa/rules";

const email = "ada@example.org";
const request = new Action({
  name: "request_link",
  run: async (api) => api.post("/api/auth/sign-in/magic-link", { json: { email, name: "Ada" } }),
});
const open = new Action({
  name: "open_link",
  run: async (api, context) => {
    const token = storeOf<SmtpStub>(context, "mail").matchTo(email, /token=(\w+)/);
    return token === undefined ? null : api.get(`/api/auth/magic-link/verify?token=${token}`);
  },
});
export const agent: Agent = new Agent({
  name: "better-auth-magic",
  actions: [request, open],
  invariants: [singleUse({ create: request, use: open })],
  maxDepth: 3,
});
