import { Action, Agent, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";

const guess = new Action({
  name: "guess_password",
  expectedStatus: [404],
  run: async (api) => api.post("/login", { json: { username: "ada", password: "wrong" } }),
});
export const agent: Agent = new Agent({
  name: "parse-lockout",
  world: ({ baseUrl, systems }) =>
    new World<object>({ api: new HttpClient(`${baseUrl}/parse`, { headers: { "X-Parse-Application-Id": "app" } }), systems }),
  setup: async ({ api }) => void (await api.post("/users", { json: { username: "ada", password: "secret-12" } })),
  actions: [guess],
  invariants: [],
  maxDepth: 4,
});
