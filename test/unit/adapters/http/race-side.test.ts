import { afterEach, describe, expect, it } from "vitest";
import { HttpClient } from "../../../../src/adapters/http/index.ts";
import { clientPartOf } from "../../../../src/model/http/client.ts";
import { provideRequestScopes, type RequestScope } from "../../../../src/model/http/request-scope.ts";
import type { WireRoute } from "../../../../src/model/http/wire.ts";
import { closeServers, echo, serve } from "../../../support/http-servers.ts";

let current: RequestScope | undefined;
provideRequestScopes(() => current);

afterEach(async () => {
  current = undefined;
  await closeServers();
});

/** A side that keeps its own copies, and what it delivers by. */
function side(deliver?: RequestScope["deliver"]): RequestScope {
  const owned = new Map<object, object>();
  return {
    signal: new AbortController().signal,
    record: () => undefined,
    ...(deliver && { deliver }),
    own<T extends object>(state: T, copy: (state: T) => T): T {
      if (!owned.has(state)) owned.set(state, copy(state));
      return owned.get(state) as T;
    },
  };
}

/** Runs within a scope; what is awaited in it must be over before another scope is entered. */
async function within<T>(scope: RequestScope | undefined, work: () => T | Promise<T>): Promise<T> {
  current = scope;
  try {
    return await work();
  } finally {
    current = undefined;
  }
}

function login(): Promise<string> {
  return serve((request, response) => {
    const name = new URL(request.url ?? "/", "http://h").searchParams.get("name");
    if (name !== null) response.setHeader("set-cookie", `session=${name}; Path=/`);
    echo(request, response);
  });
}

async function headersSent(api: HttpClient, path = "/"): Promise<Record<string, string | undefined>> {
  return (await api.get(path)).json<{ headers: Record<string, string | undefined> }>().headers;
}

describe("a side's own copy of a client", () => {
  it("begins as the client is and keeps a login, a cookie and a header to the side", async () => {
    const api = new HttpClient(await login(), { headers: { "x-all": "1" } });
    const part = clientPartOf(api)!;
    api.setAuthToken("before");
    const before = part.save();
    const version = part.version;
    const [one, two] = [side(), side()];
    await within(one, async () => {
      expect(part.save()).toEqual(before);
      await api.get("/?name=one");
      api.setAuthToken("one");
      api.setHeader("x-one", "1");
      expect(part.version).toBeGreaterThan(version);
    });
    await within(two, async () => {
      expect(await headersSent(api)).toMatchObject({ "x-all": "1", authorization: "Bearer before" });
      await api.get("/?name=two");
    });
    expect(part.version).toBe(version);
    expect(part.save()).toEqual(before);
    const sent = await headersSent(api);
    expect([sent["authorization"], sent["cookie"], sent["x-one"]]).toEqual(["Bearer before", undefined, undefined]);
    const ofOne = await within(one, () => headersSent(api));
    expect([ofOne["authorization"], ofOne["cookie"], ofOne["x-one"], ofOne["x-all"]]).toEqual(["Bearer one", "session=one", "1", "1"]);
    expect(await within(two, () => headersSent(api))).toMatchObject({ authorization: "Bearer before", cookie: "session=two" });
  });

  it("is what the side saves, tells and restores, and what it saves can be given to the client", async () => {
    const api = new HttpClient(await login());
    const part = clientPartOf(api)!;
    const empty = part.save();
    const one = side();
    const saved = await within(one, async () => {
      await api.get("/?name=one");
      api.setAuthToken("one");
      expect(part.acting()).toMatchObject({ token: "one", cookies: [{ name: "session", value: "one" }] });
      return part.save();
    });
    expect(part.acting()).toBeUndefined();
    part.restore(saved);
    expect(part.acting()).toMatchObject({ token: "one" });
    await within(one, () => part.restore(empty));
    expect(await within(one, () => part.acting())).toBeUndefined();
    expect(await headersSent(api)).toMatchObject({ authorization: "Bearer one", cookie: "session=one" });
  });
});

describe("a side's delivery", () => {
  it("gets each attempt, the route and the client's own way", async () => {
    const url = await login();
    const api = new HttpClient(url, { followRedirects: true });
    const seen: { path: string; route: WireRoute }[] = [];
    const delivering = side((request, route, send) => {
      seen.push({ path: request.path, route });
      return seen.length === 1
        ? Promise.resolve({ status: 303, headers: { location: "/next" }, cookies: ["a=1; Path=/"], text: "" })
        : send(request);
    });
    const response = await within(delivering, () => api.post("/first"));
    expect(response.json()).toMatchObject({ method: "GET", url: "/next", headers: { cookie: "a=1" } });
    expect(seen.map(({ path }) => path)).toEqual(["/first", "/next"]);
    expect(seen[0]!.route).toMatchObject({ origin: url, ca: [], proxied: false });
    const same = new HttpClient(url);
    await within(delivering, () => same.get("/"));
    expect(seen[2]!.route.key).toBe(seen[0]!.route.key);
  });

  it("is told of a handler in this process that only the client can call it", async () => {
    const api = new HttpClient(() => new Response("here"));
    const routes: WireRoute[] = [];
    const delivering = side((request, route, send) => {
      routes.push(route);
      return send(request);
    });
    expect((await within(delivering, () => api.get("/"))).text).toBe("here");
    expect(routes[0]!.origin).toBeUndefined();
  });
});
