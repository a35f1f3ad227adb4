import { describe, expect, it } from "vitest";
import { full } from "../sizes.ts";
import { documentOf, folderWith, linkPackages, only, seqqa } from "../support/e2e.ts";

const EXPLORATION = `import { Action, Agent, Invariant, World } from "seqqa";
import { MockClient } from "seqqa/mocking";
import { GraphQLClient } from "seqqa/clients/graphql";
import { DataFactory } from "seqqa/data";

interface Shop { emails: string[]; viewer: string }
const fixed = new DataFactory({ seed: 1 }).company();
const graphql = async (request: Request) => Response.json({ data: { viewer: (await request.json()).variables.name } });

const signUp = new Action<Shop, MockClient>({
  name: "sign_up",
  precondition: (context) => context.get("emails", { default: [] }).length < 2,
  run: async (api, context) => {
    const user = context.data.user({ username: fixed });
    const response = await api.post("/users", { multipart: { email: user.email, picture: new File(["png"], "me.png") } });
    context.set("emails", [...context.get("emails", { default: [] }), user.email]);
    return response;
  },
});
const poll = new Action<Shop, MockClient>({ name: "poll", run: async (api) => api.get("/job") });
const view = new Action<Shop, MockClient>({
  name: "view",
  run: async (_api, context) => {
    const response = await new GraphQLClient(graphql).query<{ viewer: string }>("query V($name: String) { viewer(name: $name) }", { variables: { name: context.data.firstName() } });
    context.set("viewer", response.data!.viewer);
    return response;
  },
});

export const agent = new Agent<Shop, MockClient>({
  world: () => {
    const api = new MockClient();
    api.whenPost("/users").respond({ ok: true }, { status: 201 });
    api.whenGet("/job").respond("pending").respond("done");
    return new World<Shop, MockClient>({ api });
  },
  actions: [signUp, poll, view],
  invariants: [new Invariant<Shop, MockClient>({
    name: "one_user",
    check: ({ context, api }) => context.get("emails", { default: [] as string[] }).length < 2 && api.unmatched.length === 0,
  })],
  maxDepth: 4,
});
`;

describe("MockClient, GraphQLClient, multipart and context.data in lanes", () => {
  it("one answer and the same bytes for every number of lanes, confirmed by replay", async () => {
    const cwd = folderWith({ "clients.explore.ts": EXPLORATION });
    linkPackages(cwd, "seqqa");
    const results = [];
    for (const parallel of ["1", full ? "3" : "2"]) {
      const ran = await seqqa(["run", ".", "--parallel", parallel, "--reporter", "json", "--output", `out-${parallel}`], { cwd });
      expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 1, stderr: "" });
      results.push(only(documentOf(ran)));
    }
    const first = results[0]!;
    expect(first.violations).toMatchObject([{ invariant: "one_user", confirmed: true, reproductionPath: ["sign_up", "sign_up"] }]);
    const sent = first.violations[0]!.steps.map(({ requests }) => requests[0]!.request.body);
    expect(sent[0]).toMatch(/name="email"\r\n\r\n[a-z.0-9]+@example\.com\r\n/);
    expect(sent[0]).not.toBe(sent[1]);
    for (const result of results) {
      expect(result).toMatchObject({ divergences: [], errors: [], digest: first.digest, statesVisited: first.statesVisited });
      expect(result.violations[0]!.steps.map(({ requests }) => requests[0]!.request.body)).toEqual(sent);
    }
  });
});
