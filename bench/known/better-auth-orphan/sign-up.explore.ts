import { Action, Agent } from "seqqa";

const signUp = new Action({
  name: "sign_up",
  run: async (api) => api.post("/api/auth/sign-up/email", { json: { name: "Ada", email: "ada@example.org", password: "secret-12" } }),
});
export const agent: Agent = new Agent({ name: "better-auth-orphan", actions: [signUp], invariants: [], maxDepth: 2 });
