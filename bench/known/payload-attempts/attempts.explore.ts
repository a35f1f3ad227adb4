import { Action, Agent } from "seqqa";

const email = "ada@example.org";
const guess = new Action({
  name: "guess_password",
  expectedStatus: [401],
  run: async (api) => api.post("/api/users/login", { json: { email, password: "wrong" } }),
});

export const agent: Agent = new Agent({
  name: "payload-attempts",
  setup: async ({ api }) => {
    await api.post("/api/users/first-register", { json: { email, password: "secret-12" } });
  },
  actions: [guess],
  invariants: [],
  maxDepth: 2,
});
