import { describe, expect, it } from "vitest";
import { HttpClient } from "../../../../../src/adapters/http/index.ts";
import { clientPartOf, type Exchange } from "../../../../../src/model/http/client.ts";

async function echo(request: Request): Promise<Response> {
  const body = await request.text();
  return Response.json({ method: request.method, url: request.url, headers: Object.fromEntries(request.headers), body });
}

describe("a fetch handler of this process", () => {
  it.each(["get", "post", "put", "patch", "delete", "options"] as const)("%s", async (verb) => {
    const response = await new HttpClient(echo)[verb]("/a", { query: { q: 1 }, headers: { "X-A": "1" } });
    expect(response.json()).toMatchObject({ method: verb.toUpperCase(), url: "http://localhost/a?q=1", headers: { "x-a": "1" } });
  });

  it.each([
    ["/v1", "/a?b", "http://localhost/v1/a?b"],
    ["/v1/", "a", "http://localhost/v1/a"],
    ["/v 1", "", "http://localhost/v%201"],
    ["/", "/a", "http://localhost/a"],
    ["/v1", "http://localhost/b", "http://localhost/b"],
  ])("below the base path %s: %s", async (basePath, path, url) => {
    const api = new HttpClient(echo, { basePath });
    expect((await api.get(path)).json()).toMatchObject({ url });
    expect(clientPartOf(api)!.base).toBe(`http://localhost${basePath === "/" ? "" : basePath.replace(" ", "%20").replace(/\/$/, "")}`);
  });

  it("below the base path, and that of a URL before it", () => {
    expect(clientPartOf(new HttpClient("http://127.0.0.1:1/api/", { basePath: "/v1" }))!.base).toBe("http://127.0.0.1:1/api/v1");
  });

  it.each([
    ["v1", '"v1"'],
    ["/v1?a=1", '"/v1?a=1"'],
    ["/v1#a", '"/v1#a"'],
    ["", '""'],
    [7, "of type number"],
    [null, "of type null"],
  ])("refuses the base path %j", (basePath, shown) => {
    expect(() => new HttpClient(echo, { basePath: basePath as string })).toThrow(
      `The option basePath of an HttpClient is ${shown}, but must be a path that begins with / and has no query.`,
    );
  });

  it("head, 204, json, form, bytes", async () => {
    expect((await new HttpClient(echo).head("/")).text).toBe("");
    expect((await new HttpClient(() => new Response(null, { status: 204 })).get("/")).statusCode).toBe(204);
    const api = new HttpClient(echo);
    expect((await api.post("/", { json: { é: 1 } })).json()).toMatchObject({
      body: '{"é":1}',
      headers: { "content-type": "application/json" },
    });
    expect((await api.post("/", { form: { a: 1 } })).json()).toMatchObject({ body: "a=1" });
    expect((await api.post("/", { body: new Uint8Array([104, 105]) })).json()).toMatchObject({ body: "hi" });
    await expect(api.get("/", { body: "x" })).rejects.toMatchObject({ code: "REQUEST_INVALID" });
  });

  it("cookies, token, several values of a header, redirects", async () => {
    const api = new HttpClient(
      (request) => {
        const path = new URL(request.url).pathname;
        if (path === "/login") {
          const headers = new Headers({ location: "/home" });
          headers.append("set-cookie", "a=1; Path=/; Expires=Thu, 01 Jan 2099 00:00:00 GMT");
          headers.append("set-cookie", "b=2; Path=/");
          headers.append("x-many", "1");
          headers.append("x-many", "2");
          return new Response("", { status: 302, headers });
        }
        return Response.json({ cookie: request.headers.get("cookie"), authorization: request.headers.get("authorization") });
      },
      { headers: { "x-a": "1" } },
    );
    api.setAuthToken("t");
    const login = await api.post("/login");
    expect(login).toMatchObject({ statusCode: 302, headers: { "x-many": "1, 2", location: "/home" } });
    expect((await api.get("/home")).json()).toEqual({ cookie: "a=1; b=2", authorization: "Bearer t" });
  });

  it("a handler that throws or returns no response", async () => {
    const exchanges: Exchange[] = [];
    const broken = new HttpClient(() => {
      throw new RangeError("boom");
    });
    clientPartOf(broken)!.listen((exchange) => exchanges.push(exchange));
    const error = await broken.get("/x").catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: "TARGET_UNREACHABLE",
      message: "The handler of the in-process target threw an error and did not answer GET http://localhost/x: boom",
      cause: expect.any(RangeError) as unknown,
    });
    expect(exchanges).toMatchObject([{ kind: "failure", reason: "unreachable" }]);
    await expect(new HttpClient((() => undefined) as never).get("/")).rejects.toThrow(/handler returned no Response/);
  });

  it("timeouts abort the request", async () => {
    let signal: AbortSignal | undefined;
    const api = new HttpClient(
      (request) => {
        signal = request.signal;
        return new Promise<Response>(() => undefined);
      },
      { timeout: 0.03 },
    );
    await expect(api.get("/x")).rejects.toMatchObject({
      code: "REQUEST_TIMEOUT",
      message: "GET http://localhost/x got no answer within 0.03 s.",
    });
    expect(signal?.aborted).toBe(true);
  });

  it("an endless body is an error", async () => {
    const chunk = new Uint8Array(8 * 1024 * 1024);
    const endless = (): Response => new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }));
    await expect(new HttpClient(endless).get("/")).rejects.toMatchObject({ code: "BODY_TOO_LARGE" });
  });

  it("retries and closes", async () => {
    let calls = 0;
    const api = new HttpClient(() => new Response("x", { status: ++calls < 3 ? 503 : 200 }), { retry: { delay: 0.001 } });
    expect((await api.get("/")).statusCode).toBe(200);
    expect(calls).toBe(3);
    await api.close();
    await expect(api.get("/")).rejects.toMatchObject({ code: "CLIENT_CLOSED" });
  });
});
