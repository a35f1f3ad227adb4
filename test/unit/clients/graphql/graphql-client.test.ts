import { afterEach, describe, expect, it } from "vitest";
import { GraphQLClient, type GraphQLResponse } from "../../../../src/clients/graphql/index.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { clientPartOf, type Exchange } from "../../../../src/model/http/client.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import { sessionEnds, singleUse } from "../../../../src/rules/index.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { runExplorer } from "../../../support/run-explorer.ts";
import { closeServers, read, serve } from "../../../support/http-servers.ts";

afterEach(closeServers);

interface Sent {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
}

/** Answers every POST with what it was sent, as `data`. */
async function echoing(): Promise<string> {
  const origin = await serve((request, response) => {
    void read(request).then((body) => {
      response.setHeader("content-type", "application/graphql-response+json");
      const { method, url, headers } = request;
      response.end(JSON.stringify({ data: { method, url, headers, sent: JSON.parse(body) as Sent } }));
    });
  });
  return `${origin}/graphql`;
}

interface Echo {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sent: Sent;
}

/** Always this answer. */
async function answering(status: number, body: string, headers: Record<string, string> = {}): Promise<GraphQLClient> {
  return new GraphQLClient(`${await serve((_request, response) => response.writeHead(status, headers).end(body))}/graphql`);
}

describe("query", () => {
  it("posts text, variables and operation name to the endpoint", async () => {
    const api = new GraphQLClient(await echoing(), { headers: { "x-tenant": "a" } });
    const response = await api.query<Echo>("mutation Pay($id: ID!) { pay(id: $id) { ok } }", {
      variables: { id: 1 },
      operationName: "Pay",
    });
    expect(response).toBeInstanceOf(ApiResponse);
    expect(response).toMatchObject({ ok: true, statusCode: 200, errors: undefined, request: { method: "POST" } });
    expect(response.data).toMatchObject({
      method: "POST",
      url: "/graphql",
      headers: { "content-type": "application/json", accept: "application/graphql-response+json, application/json", "x-tenant": "a" },
      sent: { query: "mutation Pay($id: ID!) { pay(id: $id) { ok } }", variables: { id: 1 }, operationName: "Pay" },
    });
    expect((await api.query<Echo>("{ a }")).data!.sent).toEqual({ query: "{ a }" });
  });

  it("to a URL with a query, and to a handler of this process", async () => {
    const api = new GraphQLClient(`${await echoing()}?v=2`);
    expect((await api.query<Echo>("{ a }")).data!.url).toBe("/graphql?v=2");
    const inProcess = new GraphQLClient((request) => Response.json({ data: new URL(request.url).pathname }));
    expect((await inProcess.query("{ a }")).data).toBe("/graphql");
  });

  it("to a path of its own, below a URL and of a handler", async () => {
    const api = new GraphQLClient(await echoing(), { path: "/api/gql?v=2" });
    expect((await api.query<Echo>("{ a }")).data!.url).toBe("/graphql/api/gql?v=2");
    const inProcess = new GraphQLClient((request) => Response.json({ data: new URL(request.url).pathname }), { path: "/gql" });
    expect((await inProcess.query("{ a }")).data).toBe("/gql");
  });

  it("sends the token that was set", async () => {
    const api = new GraphQLClient(await echoing());
    api.setAuthToken("t");
    expect((await api.query<Echo>("{ a }")).data!.headers["authorization"]).toBe("Bearer t");
    api.setAuthToken(null);
    expect((await api.query<Echo>("{ a }")).data!.headers["authorization"]).toBeUndefined();
    api.setBasicAuth("u", "p");
    api.setHeader("x-a", "1");
    expect((await api.query<Echo>("{ a }")).data!.headers).toMatchObject({ authorization: `Basic ${btoa("u:p")}`, "x-a": "1" });
  });

  it.each([
    ["", "an empty text"],
    ["  \n", "an empty text"],
    [undefined as never, "a value of type undefined"],
  ])("refuses %o", async (text, what) => {
    await expect(new GraphQLClient("http://127.0.0.1:1/graphql").query(text)).rejects.toThrow(
      `query() of a GraphQLClient got ${what} as its query`,
    );
  });

  it("refuses a URL that is none", () => {
    expect(() => new GraphQLClient("graphql")).toThrow('The base URL "graphql" of an HttpClient is not a valid URL.');
  });
});

describe("answers", () => {
  it("errors with status 200 are visible: not ok, and listed beside what there is of data", async () => {
    const errors = [{ message: "no such order", path: ["order"], locations: [{ line: 1, column: 3 }], extensions: { code: "NOT_FOUND" } }];
    const partly = await (await answering(200, JSON.stringify({ data: { order: null }, errors }))).query("{ order { id } }");
    expect(partly).toMatchObject({ statusCode: 200, ok: false, data: { order: null }, errors });
    const wholly = await (await answering(200, JSON.stringify({ errors }))).query("{ order { id } }");
    expect(wholly).toMatchObject({ ok: false, data: null, errors });
  });

  it.each(['{"data":{"a":1},"errors":[]}', '{"data":{"a":1},"errors":null}', '{"data":{"a":1},"extensions":{}}'])(
    "no errors: %s",
    async (body) => {
      expect(await (await answering(200, body)).query("{ a }")).toMatchObject({ ok: true, errors: undefined, data: { a: 1 } });
    },
  );

  it("data null alone is an answer", async () => {
    expect(await (await answering(200, '{"data":null}')).query("{ a }")).toMatchObject({ ok: true, data: null });
  });

  it("a status of 400 with errors is an answer of GraphQL", async () => {
    expect(await (await answering(400, '{"errors":[{"message":"syntax"}]}')).query("{")).toMatchObject({
      statusCode: 400,
      ok: false,
      errors: [{ message: "syntax" }],
    });
  });

  it.each([
    ["<html>", "text/html"],
    ["", "text/plain"],
    ['{"hello":1}', "application/json"],
    ["[]", "application/json"],
    ["null", "application/json"],
    ['{"data":1,"errors":"boom"}', "application/json"],
    ['{"errors":[]}', "application/json"],
    ['{"errors":[1]}', "application/json"],
  ])("status 200 with %s is refused in one sentence", async (body, type) => {
    const api = await answering(200, body, { "content-type": type });
    const error = (await api.query("{ a }").catch((cause: unknown) => cause)) as Error;
    expect(error).toMatchObject({
      code: "NOT_GRAPHQL",
      hint: "Check that the client's URL is the URL of the GraphQL endpoint, for example http://127.0.0.1:3000/graphql.",
    });
    expect(error.message).toBe(
      `The answer to POST ${error.message.split(" ")[4]!} (status 200, ${type}) is not a GraphQL answer with data or errors: ${body === "" ? "the body is empty" : JSON.stringify(body)}`,
    );
  });

  it("a redirect says where to", async () => {
    const api = await answering(301, "", { location: "/graphql/?token=abc" });
    await expect(api.query("{ a }")).rejects.toMatchObject({ code: "NOT_GRAPHQL", hint: /redirects to \/graphql\/\?token=\*\*\*;/ });
  });

  it("a refusal that is not GraphQL's own is returned with its status, and has no data", async () => {
    const response = await (await answering(401, '{"message":"log in"}')).query("{ a }");
    expect(response).toMatchObject({ statusCode: 401, ok: false, errors: undefined });
    expect(() => response.data).toThrow(/status 401.* is not a GraphQL answer/);
  });
});

describe("in a world", () => {
  it("token and cookies are put back, and every exchange is told", async () => {
    const api = new GraphQLClient(await echoing());
    const world = new World<object, GraphQLClient>({ api, clients: { admin: new GraphQLClient(await echoing()) } });
    const part = clientPartOf(api)!;
    const exchanges: Exchange[] = [];
    part.listen((exchange) => exchanges.push(exchange));
    const root = await world.checkpoint();
    api.setAuthToken("t");
    expect((await world.observe()).clients).toEqual({ "": { token: "t" } });
    await world.rollback(root);
    expect((await world.observe()).clients).toEqual({});
    expect((await api.query<Echo>("{ a }")).data!.headers["authorization"]).toBeUndefined();
    expect(exchanges).toMatchObject([{ kind: "answer", response: { statusCode: 200 } }]);
    expect(world.api.as("admin")).toBe(world.clients["admin"]);
    expect(() => api.as("none")).toThrow('There is no client for the role "none".');
  });

  it("explores: actions return responses, a login is a state, roles act for themselves", async () => {
    const handler = async (request: Request): Promise<Response> => {
      const { query } = (await request.json()) as Sent;
      if (query.includes("login")) return Response.json({ data: { login: request.headers.get("x-role") ?? "guest" } });
      return request.headers.has("authorization") ? Response.json({ data: { me: 1 } }) : Response.json({ errors: [{ message: "log in" }] });
    };
    const login = async (api: GraphQLClient): Promise<GraphQLResponse> => {
      const response = await api.query<{ login: string }>("mutation { login }");
      api.setAuthToken(response.data!.login);
      return response;
    };
    const agent = new AgentDefinition<object, GraphQLClient>({
      world: () =>
        new World<object, GraphQLClient>({
          api: new GraphQLClient(handler),
          clients: { admin: new GraphQLClient(handler, { headers: { "x-role": "admin" } }) },
          stateFromContext: [],
        }),
      actions: [
        new Action<object, GraphQLClient>({ name: "login", run: login }),
        new Action<object, GraphQLClient>({ name: "login_admin", as: "admin", run: login }),
        new Action<object, GraphQLClient>({ name: "me", run: async (api) => api.query("{ me }") }),
      ],
      invariants: [],
    });
    const { explorer } = await runExplorer(agent, { lanes: 2, crossCheck: { first: 20, oneIn: 1 } });
    // Each of the two clients is logged in or not.
    expect([explorer.committer.visited.size, explorer.committer.steps]).toEqual([4, 12]);
    expect(explorer.divergences.all).toEqual([]);
    expect(explorer.committer.findings.errors.size).toBe(0);
  });

  it.each([false, true])("rules send its requests again, and make clients of other users like it (defect: %j)", async (isBroken) => {
    const store = new MemoryAdapter({ state: { tokens: [] as string[], invitation: "none", grants: 0 } });
    const handler = async (request: Request): Promise<Response> => {
      const { query } = (await request.json()) as Sent;
      const { state } = store;
      const token = request.headers.get("authorization") ?? "";
      const data = (value: unknown): Response => Response.json({ data: { value } });
      if (query.includes("login")) return data(state.tokens.push(`Bearer ${request.headers.get("x-app")}${state.tokens.length}`));
      if (!state.tokens.includes(token)) return query.includes("me") ? data(null) : Response.json({ errors: [{ message: "log in" }] });
      if (query.includes("me")) return data(token);
      if (query.includes("invite") && state.invitation === "none") return data((state.invitation = "open"));
      if (query.includes("logout")) return data(state.tokens.splice(state.tokens.indexOf(token), 1));
      if (state.invitation !== "open") return Response.json({ errors: [{ message: "used" }], data: null });
      if (!isBroken) state.invitation = "used";
      return data(++state.grants);
    };
    const login = async (api: GraphQLClient): Promise<GraphQLResponse> => {
      const response = await api.query<{ value: number }>("mutation { login }");
      api.setAuthToken(`app${response.data!.value - 1}`);
      return response;
    };
    const act = (name: string, mutation: string): Action<object, GraphQLClient> =>
      new Action<object, GraphQLClient>({ name, run: async (api) => api.query(`mutation { ${mutation} }`) });
    const agent = new AgentDefinition<object, GraphQLClient>({
      world: () =>
        new World<object, GraphQLClient>({
          api: new GraphQLClient(handler, { path: "/gql", headers: { "x-app": "app" } }),
          systems: { store },
        }),
      setup: async ({ api }) => void (await login(api)),
      actions: [act("invite", "invite"), act("accept", 'accept(code: "abcdef")'), act("log_out", "logout")],
      invariants: [
        singleUse<object, GraphQLClient>({ create: "invite", use: "accept", users: { carl: login as never } }),
        sessionEnds<object, GraphQLClient>({ login, check: async (api) => api.query("{ me }"), logout: ["log_out"] }),
      ],
    });
    const { explorer } = await runExplorer(agent, { maxDepth: 3 });
    const { findings, unjudged } = explorer.committer;
    expect([...findings.errors.values()]).toEqual([]);
    expect(unjudged.reasons).toEqual([]);
    expect([...findings.violations.values()].map(({ finding }) => finding.invariant)).toEqual(isBroken ? ["single_use_accept"] : []);
  });
});
