import { Action, Agent } from "seqqa";
import { sessionEnds } from "seqqa/rules";

const ada = { email: "ada@example.org", password: "secret-12" };
const logIn = new Action({ name: "log_in", run: async (api) => api.post("/auth/login", { json: { ...ada, mode: "session" } }) });
const logOut = new Action({ name: "log_out", run: async (api) => api.post("/auth/logout", { json: { mode: "session" } }) });
export const agent: Agent = new Agent({
  name: "directus-logout",
  actions: [logIn, logOut],
  invariants: [sessionEnds({ login: logIn, check: async (api) => api.get("/users/me"), logout: [logOut] })],
  maxDepth: 3,
});
