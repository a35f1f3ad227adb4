import { afterEach, describe, expect, it } from "vitest";
import { ApiResponse, HttpClient, type HttpClientOptions } from "../../../../src/adapters/http/index.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { closeServers, echo, serve, serveWith } from "../../../support/http-servers.ts";

afterEach(closeServers);

interface Echo {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function client(path = "", options?: HttpClientOptions): Promise<HttpClient> {
  return new HttpClient((await serve(echo)) + path, options);
}

describe("verbs", () => {
  it.each(["get", "post", "put", "patch", "delete", "options"] as const)("%s sends its method and path", async (verb) => {
    const api = await client();
    const response = await api[verb]("/orders/1");
    expect(response).toBeInstanceOf(ApiResponse);
    expect(response.statusCode).toBe(200);
    expect(response.json<Echo>()).toMatchObject({ method: verb.toUpperCase(), url: "/orders/1", body: "" });
    expect(response.request).toMatchObject({ method: verb.toUpperCase() });
    expect(response.request.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/orders\/1$/);
    expect(response.durationMs).toBeGreaterThan(0);
  });

  it("head has headers and no body", async () => {
    const response = await (await client()).head("/orders");
    expect(response.text).toBe("");
    expect(response.headers["x-method"]).toBe("HEAD");
  });

  it("request takes any method, in any case", async () => {
    const api = await client();
    expect((await api.request("propfind", "/a")).json<Echo>().method).toBe("PROPFIND");
    await expect(api.request("GET /x HTTP/1.1\r\n", "/a")).rejects.toMatchObject({ code: "METHOD_INVALID" });
    await expect(api.request("CONNECT", "/a")).rejects.toMatchObject({ code: "METHOD_INVALID" });
  });
});

describe("what is sent", () => {
  it("json with its content type, as recorded in the request", async () => {
    const response = await (await client()).post("/", { json: { a: [1, "é"] } });
    const sent = response.json<Echo>();
    expect(sent.body).toBe('{"a":[1,"é"]}');
    expect(sent.headers["content-type"]).toBe("application/json");
    expect(response.request.body).toBe('{"a":[1,"é"]}');
    expect(response.request.headers).toEqual({ "content-type": "application/json" });
  });

  it("json null and false are bodies", async () => {
    const api = await client();
    expect((await api.post("/", { json: null })).json<Echo>().body).toBe("null");
    expect((await api.post("/", { json: false })).json<Echo>().body).toBe("false");
  });

  it("form", async () => {
    const sent = (await (await client()).post("/", { form: { user: "a b&c", n: 1, ok: true } })).json<Echo>();
    expect(sent.body).toBe("user=a+b%26c&n=1&ok=true");
    expect(sent.headers["content-type"]).toBe("application/x-www-form-urlencoded");
  });

  it("body as it is, text or bytes", async () => {
    const api = await client();
    const text = await api.post("/", { body: "<a/>", headers: { "Content-Type": "text/xml" } });
    expect(text.json<Echo>()).toMatchObject({ body: "<a/>", headers: { "content-type": "text/xml" } });
    const bytes = await api.put("/", { body: new TextEncoder().encode("xhix").subarray(1, 3) });
    expect(bytes.json<Echo>().body).toBe("hi");
    expect(bytes.request.body).toBe("hi");
    expect(bytes.json<Echo>().headers["content-type"]).toBeUndefined();
  });

  it("a content type of the user's own wins over that of json", async () => {
    const sent = (
      await (await client()).patch("/", { json: {}, headers: { "CONTENT-TYPE": "application/merge-patch+json" } })
    ).json<Echo>();
    expect(sent.headers["content-type"]).toBe("application/merge-patch+json");
  });

  it("query is appended, lists repeat, null and undefined are left out", async () => {
    const api = await client();
    const query = { a: 1, b: [true, "x y"], c: null, d: undefined, "e&": "é" };
    expect((await api.get("/p", { query })).json<Echo>().url).toBe("/p?a=1&b=true&b=x+y&e%26=%C3%A9");
    expect((await api.get("/p?z=1", { query: { a: 1 } })).json<Echo>().url).toBe("/p?z=1&a=1");
    expect((await api.get("/p", { query: {} })).json<Echo>().url).toBe("/p");
  });

  it("headers of the client and of the request, the latter win", async () => {
    const api = await client("", { headers: { "X-A": "1", "x-b": "1" } });
    api.setHeader("X-C", "3");
    const sent = (await api.get("/", { headers: { "X-B": "2" } })).json<Echo>().headers;
    expect(sent).toMatchObject({ "x-a": "1", "x-b": "2", "x-c": "3" });
    api.setHeader("x-c", null);
    expect((await api.get("/")).json<Echo>().headers["x-c"]).toBeUndefined();
  });

  it("token and basic authentication", async () => {
    const api = await client();
    const authorization = async (): Promise<string | undefined> => (await api.get("/")).json<Echo>().headers["authorization"];
    api.setAuthToken("t1");
    expect(await authorization()).toBe("Bearer t1");
    api.setBasicAuth("ü", "p:w");
    expect(await authorization()).toBe(`Basic ${Buffer.from("ü:p:w").toString("base64")}`);
    api.setAuthToken(null);
    expect(await authorization()).toBeUndefined();
    expect(() => api.setBasicAuth("a:b", "c")).toThrow(/colon/);
    expect(() => api.setAuthToken(undefined as never)).toThrow(/undefined/);
  });

  it("a missing token names the refused request before it, without its query", async () => {
    const api = new HttpClient(
      await serve((request, response) => void response.writeHead(request.method === "POST" ? 401 : 200).end("{}")),
    );
    await api.get("/me");
    expect(() => api.setAuthToken(undefined as never)).toThrow(/^setAuthToken\(\) got a token of type undefined, not a string\.$/);
    await api.post("/login", { query: { user: "ann" } });
    expect(() => api.setAuthToken(undefined as never)).toThrow(/The request before it was refused: POST \/login was answered 401\.$/);
  });

  it("two bodies, a body that is no JSON, a timeout that is none are refused", async () => {
    const api = await client();
    await expect(api.post("/", { json: 1, body: "x" })).rejects.toMatchObject({ code: "BODY_INVALID" });
    await expect(api.post("/", { form: {}, body: "x" })).rejects.toMatchObject({ code: "BODY_INVALID" });
    for (const [value, says] of [
      [null, "is null"],
      [undefined, "is undefined"],
      [{}, "is an object"],
    ] as const)
      await expect(api.post("/", { form: { coupon: value as never } })).rejects.toMatchObject({
        code: "BODY_INVALID",
        message: `The form field "coupon" of a request ${says}, but must be a string, a number or a boolean.`,
      });
    await expect(api.post("/", { json: 1n })).rejects.toMatchObject({
      code: "BODY_INVALID",
      message: expect.stringMatching(/BigInt/) as string,
    });
    await expect(api.post("/", { json: () => 1 })).rejects.toMatchObject({ code: "BODY_INVALID" });
    await expect(api.post("/", { body: {} as never })).rejects.toMatchObject({ code: "BODY_INVALID" });
    await expect(api.get("/", { timeout: 0 })).rejects.toMatchObject({ code: "TIMEOUT_INVALID" });
    expect(() => new HttpClient("http://h", { timeout: Number.NaN })).toThrow(/NaN/);
  });

  it.each(["x\r\nX-Evil: 1", "x\ny", "x\0", "☃"])("the header value %j is refused, and not quoted", async (value) => {
    const api = await client();
    for (const attempt of [
      (): unknown => api.setHeader("x-a", value),
      (): unknown => new HttpClient("http://h", { headers: { "x-a": value } }),
    ]) {
      expect(attempt).toThrow(/x-a/);
    }
    const error = await api.get("/", { headers: { "x-a": value } }).catch((caught: unknown) => caught as Error);
    expect(error).toMatchObject({ code: "HEADER_INVALID" });
    expect((error as Error).message).not.toContain(value);
    expect(() => api.setAuthToken(value)).toThrow(/authorization/);
  });

  it("header names that are none, and headers that frame the message, are refused", async () => {
    const api = await client();
    expect(() => api.setHeader("a b", "1")).toThrow(/not a valid name of a header/);
    expect(() => api.setHeader("a\r\nb", "1")).toThrow(/not a valid name of a header/);
    expect(() => api.setHeader("Content-Length", "1")).toThrow(/connection sets this header itself/);
    await expect(api.post("/", { headers: { "transfer-encoding": "chunked" }, body: "x" })).rejects.toMatchObject({
      code: "HEADER_INVALID",
    });
  });
});

describe("what comes back", () => {
  it("every status is an answer", async () => {
    const url = await serve((request, response) => response.writeHead(Number(request.url?.slice(1))).end());
    const api = new HttpClient(url);
    for (const status of [200, 204, 301, 302, 304, 400, 401, 404, 409, 418, 429, 500, 503]) {
      const response = await api.get(`/${status}`);
      expect([response.statusCode, response.ok, response.text]).toEqual([status, status < 300, ""]);
    }
  });

  it("headers in lower case, several values joined", async () => {
    const url = await serve((_request, response) => {
      response
        .writeHead(
          200,
          [
            ["X-Many", "a"],
            ["X-Many", "b"],
            ["Set-Cookie", "a=1"],
            ["Set-Cookie", "b=2"],
            ["X-One", "1"],
          ].flat(),
        )
        .end();
    });
    const { headers } = await new HttpClient(url).get("/");
    expect(headers).toMatchObject({ "x-many": "a, b", "x-one": "1", "set-cookie": "a=1, b=2" });
  });

  it("a body that is not JSON is an error with its first 200 characters", async () => {
    const url = await serve((_request, response) => response.setHeader("content-type", "text/html").end(`<html>${"x".repeat(500)}`));
    const response = await new HttpClient(url).get("/page");
    expect(response.text).toHaveLength(506);
    expect(() => response.json()).toThrow(
      new RegExp(`^The body of GET ${url}/page \\(status 200, text/html\\) is not JSON: "<html>x{194}\\.\\.\\."$`),
    );
  });

  it("large bodies in many chunks, characters cut in two, a byte order mark, bytes that are no UTF-8", async () => {
    const large = "aé☃😀".repeat(300_000);
    const bodies: Readonly<Record<string, readonly Buffer[]>> = {
      "/large": [Buffer.from(large)],
      "/cut": [Buffer.from([0xe2]), Buffer.from([0x98, 0x83])],
      "/bom": [Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from("{}")],
      "/invalid": [Buffer.from([0x61, 0xff, 0x00, 0xc3])],
    };
    const url = await serve((request, response) => {
      const [first, ...rest] = bodies[request.url ?? ""] ?? [];
      response.write(first);
      setTimeout(() => {
        for (const chunk of rest) response.write(chunk);
        response.end();
      }, 5);
    });
    const api = new HttpClient(url);
    expect((await api.get("/large")).text === large).toBe(true);
    expect((await api.get("/cut")).text).toBe("☃");
    expect((await api.get("/bom")).json()).toEqual({});
    expect((await api.get("/invalid")).text).toBe("a\ufffd\0\ufffd");
  });

  it("a body over 64 MiB is an error", async () => {
    const url = await serve((_request, response) =>
      response.writeHead(200, { "content-length": 65 * 1024 * 1024 }).end(Buffer.alloc(65 * 1024 * 1024, 97)),
    );
    await expect(new HttpClient(url).get("/big")).rejects.toMatchObject({
      code: "BODY_TOO_LARGE",
      message: expect.stringMatching(/64 MiB/) as string,
    });
  });

  it("an announcement (1xx) is not the answer", async () => {
    const url = await serve((_request, response) => {
      response.writeEarlyHints({ link: "</a>; rel=preload" });
      response.writeHead(201, { "x-final": "1" }).end("done");
    });
    expect(await new HttpClient(url).get("/")).toMatchObject({ statusCode: 201, text: "done", headers: { "x-final": "1" } });
  });
});

describe("redirects", () => {
  async function redirecting(): Promise<{ readonly url: string; readonly seen: string[] }> {
    const seen: string[] = [];
    const url = await serve((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      const status = /^\/(30\d)/.exec(request.url ?? "")?.[1];
      if (status !== undefined) response.writeHead(Number(status), { location: "target?x=1", "set-cookie": "hop=1; Path=/" }).end();
      else if (request.url === "/loop") response.writeHead(302, { location: "/loop" }).end();
      else if (request.url === "/away") response.writeHead(302, { location: "http://other.invalid/x" }).end();
      else echo(request, response);
    });
    return { url, seen };
  }

  it("are returned", async () => {
    const { url, seen } = await redirecting();
    const response = await new HttpClient(url).get("/302");
    expect([response.statusCode, response.headers["location"]]).toEqual([302, "target?x=1"]);
    expect(seen).toEqual(["GET /302"]);
  });

  it.each([
    ["GET", 302, "GET"],
    ["POST", 301, "GET"],
    ["POST", 302, "GET"],
    ["POST", 303, "GET"],
    ["PUT", 303, "GET"],
    ["PUT", 302, "PUT"],
    ["POST", 307, "POST"],
    ["POST", 308, "POST"],
    ["HEAD", 303, "HEAD"],
  ])("%s to a %d goes on as %s when followed", async (method, status, then) => {
    const { url, seen } = await redirecting();
    const api = new HttpClient(url, { followRedirects: true });
    const response = await api.request(method, `/${status}`, method === "POST" || method === "PUT" ? { json: { a: 1 } } : {});
    expect(seen).toEqual([`${method} /${status}`, `${then} /target?x=1`]);
    if (then === "HEAD") return;
    const sent = response.json<Echo>();
    expect(sent.body).toBe(then === "GET" ? "" : '{"a":1}');
    expect(sent.headers["cookie"]).toBe("hop=1");
    expect(sent.headers["content-type"]).toBe(then === "GET" ? undefined : "application/json");
  });

  it("to another origin are returned even so, and a loop ends", async () => {
    const { url, seen } = await redirecting();
    const api = new HttpClient(url, { followRedirects: true });
    expect((await api.get("/away")).statusCode).toBe(302);
    await expect(api.get("/loop")).rejects.toMatchObject({ code: "TOO_MANY_REDIRECTS" });
    expect(seen).toHaveLength(1 + 21);
  });
});

describe("connections", () => {
  it("requests that follow each other use one, over all clients of the origin; concurrent ones are concurrent", async () => {
    const waiting: (() => void)[] = [];
    const { url, server } = await serveWith((request, response) => {
      if (request.url !== "/together") return void response.end();
      waiting.push(() => response.end());
      if (waiting.length === 5) for (const go of waiting) go();
    });
    let connections = 0;
    server.on("connection", () => connections++);
    const [one, two] = [new HttpClient(url), new HttpClient(url)];
    for (let i = 0; i < 20; i++) await (i % 2 === 0 ? one : two).get("/");
    expect(connections).toBe(1);
    await Promise.all([1, 2, 3, 4, 5].map(() => one.get("/together")));
    expect(connections).toBe(5);
    await one.close();
    await one.close();
    await expect(one.get("/")).rejects.toMatchObject({ code: "CLIENT_CLOSED" });
    expect((await two.get("/")).ok).toBe(true);
    await two.close();
    await expect(two.get("/")).rejects.toMatchObject({ code: "CLIENT_CLOSED" });
  });
});

describe("as", () => {
  it("gives the clients of the world, and names them when there is none", async () => {
    const url = await serve(echo);
    const [api, alice, bob] = [new HttpClient(url), new HttpClient(url), new HttpClient(url)];
    expect(() => api.as("alice")).toThrow(/no client for the role "alice"/);
    new World({ api, clients: { alice, bob } });
    expect(api.as("alice")).toBe(alice);
    expect(alice.as("bob")).toBe(bob);
    const error = ((): unknown => {
      try {
        return api.as("toString");
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toMatchObject({ code: "UNKNOWN_ROLE", hint: "The roles of the World are alice, bob." });
  });
});
