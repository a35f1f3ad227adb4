import { Action, Agent, Invariant, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";

type Visit = { cookie: string };
const fill = new Action<Visit>({
  name: "fill_cart",
  precondition: (context) => !context.has("cookie"),
  run: async (api, context) => {
    const answer = await api.post("/cart");
    // A client that is logged in already has a session, so the server sends it no cookie.
    if (answer.headers["set-cookie"] !== undefined) context.cookie = answer.headers["set-cookie"].split(";")[0]!;
    return answer;
  },
});
const logIn = new Action<Visit>({
  name: "log_in",
  run: async (api) => api.post("/login", { json: { username: "ada", password: "secret-12" } }),
});
const fixed = new Invariant<Visit>({
  name: "login_changes_the_session",
  message: "a cookie from before the login is logged in",
  check: async ({ clients, context }) => {
    const cookie = context.get("cookie");
    return cookie === undefined || !(await clients["other"]!.get("/me", { headers: { cookie } })).ok;
  },
});
export const agent: Agent<Visit> = new Agent<Visit>({
  name: "passport-fixation",
  world: ({ baseUrl, systems }) => new World<Visit>({ api: new HttpClient(baseUrl), clients: { other: new HttpClient(baseUrl) }, systems }),
  actions: [fill, logIn],
  invariants: [fixed],
  maxDepth: 3,
});
