import { Action, Agent } from "seqqa";
import { rejectedMeansUnchanged } from "seqqa/rules";

const create = (name: string, json: object): Action =>
  new Action({ name, mayNeverSucceed: true, run: async (api) => api.post("/api/admin/user-admin", { json }) });
const user = { email: "ann@example.org", name: "Ann", sendEmail: false };

export const agent: Agent = new Agent({
  name: "unleash-user",
  actions: [
    new Action({
      name: "log_in",
      run: async (api) => api.post("/auth/simple/login", { json: { username: "admin", password: "unleash4all" } }),
    }),
    create("create_user", { ...user, rootRole: 1 }),
    create("create_user_with_unknown_role", { ...user, rootRole: 9999 }),
    create("create_user_with_weak_password", { ...user, rootRole: 1, password: "a" }),
  ],
  invariants: [rejectedMeansUnchanged()],
  maxDepth: 3,
});
