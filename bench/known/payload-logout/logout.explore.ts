import { Action, Agent } from "seqqa";
import { sessionEnds } from "seqqa/rules";

const ada = { email: "ada@example.org", password: "secret-12" };
const logIn = new Action({ name: "log_in", run: async (api) => api.post("/api/users/login", { json: ada }) });
const logOut = new Action({ name: "log_out", run: async (api) => api.post("/api/users/logout") });
export const agent: Agent = new Agent({
  name: "payload-logout",
  setup: async ({ api }) => void (await api.post("/api/users", { json: ada })),
  actions: [logIn, logOut],
  invariants: [sessionEnds({ login: logIn, check: async (api) => api.get("/api/users"), logout: [logOut] })],
  maxDepth: 3,
});
