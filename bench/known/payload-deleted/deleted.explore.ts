import { Action, Agent, type ApiClient } from "seqqa";
import { sessionEnds } from "seqqa/rules";

const ada = { email: "ada@example.org", password: "secret-12" };
/** Logs in. Registers the user first if there is none. */
const logIn = async (api: ApiClient) => {
  await api.post("/api/users", { json: ada });
  return api.post("/api/users/login", { json: ada });
};
const remove = new Action({
  name: "delete_account",
  run: async (api) => api.delete("/api/users?where[email][equals]=ada@example.org"),
});
export const agent: Agent = new Agent({
  name: "payload-deleted",
  actions: [new Action({ name: "log_in", run: logIn }), remove],
  invariants: [sessionEnds({ login: logIn, check: async (api) => api.get("/api/users"), after: [remove] })],
  maxDepth: 3,
});
