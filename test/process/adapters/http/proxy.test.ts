import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { HttpClient, type HttpClientOptions } from "../../../../src/adapters/http/index.ts";
import { RemoteAdapter } from "../../../../src/adapters/remote/index.ts";
import { SeqqaError } from "../../../../src/model/errors.ts";
import { setConnectionDefaults } from "../../../../src/network/connection-settings.ts";
import { requireReachable } from "../../../../src/targets/lanes/running-lanes.ts";
import { privateAuthority, type Authority } from "../../../support/certificates.ts";
import { forwardProxy, type ForwardProxy } from "../../../support/forward-proxy.ts";
import { closeServers, freePort, read, serve, serveTls } from "../../../support/http-servers.ts";

let authority: Authority;
let proxy: ForwardProxy;
/** By names that only the proxy knows. */
let plain: string;
let secure: string;
/** The same servers, as this machine knows them. */
let direct: string;

beforeAll(async () => {
  authority = privateAuthority();
  const echo = async (request: Parameters<typeof read>[0]): Promise<string> =>
    JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body: await read(request) });
  direct = await serve((request, response) => {
    if (request.url === "/never") return;
    if (request.url === "/events") return void response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
    response.setHeader("set-cookie", ["a=1", "b=2"]);
    if (request.url?.endsWith("/checkpoint") === true) response.end('{"id":1}');
    else void echo(request).then((text) => response.end(text));
  });
  plain = direct.replace("127.0.0.1", "api.test");
  secure = (await serveTls(authority, (request, response) => void echo(request).then((text) => response.end(text)))).replace(
    "127.0.0.1",
    "api.test",
  );
});

beforeEach(async () => {
  proxy = await forwardProxy();
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]) {
    vi.stubEnv(name, undefined);
    vi.stubEnv(name.toLowerCase(), undefined);
  }
});

afterEach(async () => {
  vi.unstubAllEnvs();
  setConnectionDefaults();
  await proxy.close();
});
afterAll(closeServers);

async function withClient<T>(url: string, options: HttpClientOptions, use: (client: HttpClient) => Promise<T>): Promise<T> {
  const client = new HttpClient(url, options);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

async function failureOf(url: string, options: HttpClientOptions = {}, path = "/"): Promise<SeqqaError> {
  const caught = await withClient(url, { proxy: "environment", timeout: 5, ...options }, (client) => client.get(path)).catch(
    (error) => error,
  );
  if (caught instanceof SeqqaError) return caught;
  throw new Error(`not refused: ${inspect(caught)}`);
}

const useProxy = (credentials = ""): void => vi.stubEnv("HTTP_PROXY", `http://${credentials}127.0.0.1:${proxy.port}`) as never;

interface Seen {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

describe("proxies of the environment", () => {
  it("are not used unless asked for", async () => {
    useProxy();
    vi.stubEnv("HTTPS_PROXY", `http://127.0.0.1:${proxy.port}`);
    await withClient(direct, {}, (client) => client.get("/"));
    setConnectionDefaults({ ca: [], proxy: "environment" });
    await withClient(direct, { proxy: "none" }, (client) => client.get("/"));
    expect(proxy.asked).toEqual([]);
  });

  it("take plain requests in absolute form, with headers, body and cookies as without", async () => {
    useProxy();
    await withClient(plain, { proxy: "environment", headers: { "x-a": "1" } }, async (client) => {
      const first = await client.post("/orders?x=1", { json: { a: 1 } });
      expect(first.json<Seen>()).toMatchObject({ url: "/orders?x=1", body: '{"a":1}' });
      expect(first.json<Seen>().headers).toMatchObject({ "x-a": "1", "content-type": "application/json", host: new URL(plain).host });
      expect((await client.get("/")).json<Seen>().headers["cookie"]).toBe("a=1; b=2");
    });
    expect(proxy.asked).toEqual([`POST ${plain}/orders?x=1`, `GET ${plain}/`]);
  });

  it("end an event stream that stays open once it is silent", async () => {
    useProxy();
    const text = await withClient(plain, { proxy: "environment" }, async (client) => (await client.get("/events")).text);
    expect(text).toBe("data: 1\n\n");
  });

  it("make a tunnel for https, in which the private authority counts", async () => {
    vi.stubEnv("HTTPS_PROXY", `127.0.0.1:${proxy.port}`);
    const status = await withClient(
      secure,
      { proxy: "environment", ca: authority.ca },
      async (client) => (await client.get("/")).statusCode,
    );
    expect(status).toBe(200);
    expect(proxy.asked).toEqual([`CONNECT ${new URL(secure).host}`]);
    expect(await failureOf(secure)).toMatchObject({
      code: "TARGET_UNREACHABLE",
      message: expect.stringMatching(/^TLS failure, the certificate is not trusted/) as string,
      hint: expect.stringContaining("tls.ca_file") as string,
    });
  });

  it("leave out the hosts of NO_PROXY", async () => {
    useProxy();
    vi.stubEnv("NO_PROXY", "other.test,127.0.0.1");
    await withClient(direct, { proxy: "environment" }, (client) => client.get("/"));
    expect(proxy.asked).toEqual([]);
  });

  it("need not be there", async () => {
    const status = await withClient(direct, { proxy: "environment" }, async (client) => (await client.get("/")).statusCode);
    expect(status).toBe(200);
  });

  it("hold by configuration for clients, for a RemoteAdapter and for the look at a running target", async () => {
    useProxy();
    const client = new HttpClient(plain);
    setConnectionDefaults({ ca: [], proxy: "environment" });
    expect((await client.get("/a")).statusCode).toBe(200);
    await client.close();
    const remote = new RemoteAdapter({ url: `${plain}/__seqqa` });
    await remote.open({ borrowed: false } as never);
    await remote.close();
    await requireReachable(plain, new AbortController().signal, { folder: "/", proxy: "environment" });
    expect(proxy.asked).toEqual([
      `GET ${plain}/a`,
      `GET ${plain}/__seqqa/state`,
      `POST ${plain}/__seqqa/checkpoint`,
      `POST ${plain}/__seqqa/rollback`,
      `GET ${plain}/`,
    ]);
  });
});

describe("credentials of the proxy", () => {
  beforeEach(async () => {
    await proxy.close();
    proxy = await forwardProxy("user:p@ss");
    vi.stubEnv("HTTPS_PROXY", undefined);
  });

  it("reach the proxy and not the target", async () => {
    useProxy("user:p%40ss@");
    const seen = await withClient(plain, { proxy: "environment" }, async (client) => (await client.get("/")).json<Seen>());
    expect(Object.keys(seen.headers)).not.toContain("proxy-authorization");
    const status = await withClient(
      secure,
      { proxy: "environment", ca: authority.ca },
      async (client) => (await client.get("/")).statusCode,
    );
    expect(status).toBe(200);
  });

  it.each(["plain", "secure"] as const)("that the proxy refuses (%s) are an error that shows none", async (which) => {
    useProxy("user:wr0ng@");
    const error = await failureOf(which === "plain" ? plain : secure, { ca: authority.ca });
    expect(error).toMatchObject({
      code: "TARGET_UNREACHABLE",
      message: expect.stringMatching(/^The proxy refused the request with status 407: GET /) as string,
      hint: expect.stringContaining("http://user:password@host:port") as string,
    });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("wr0ng");
  });

  it.each(["http://user:s3cret@", "socks5://user:s3cret@h:1", "http://user:s3cret%zz@h:1", "http://user:s3cret@h:port"])(
    "stand in no error for a URL that is none (%#)",
    async (text) => {
      vi.stubEnv("HTTP_PROXY", text);
      const error = await failureOf(plain);
      expect(error).toMatchObject({
        code: "PROXY_INVALID",
        exitStatus: 2,
        message: "The environment variable HTTP_PROXY must be the URL of an HTTP proxy, but its value is not such a URL.",
      });
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("s3cret");
    },
  );

  it("in the option are refused without a quotation", async () => {
    const error = await failureOf(plain, { proxy: "http://user:s3cret@h:1" as never });
    expect(error).toMatchObject({ code: "PROXY_INVALID", exitStatus: 2 });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("s3cret");
  });
});

describe("a request through a proxy that gets no answer", () => {
  it("because there is no proxy, says that there is one in between", async () => {
    vi.stubEnv("HTTP_PROXY", `http://127.0.0.1:${await freePort()}`);
    for (const url of [plain, secure]) {
      expect(await failureOf(url)).toMatchObject({
        code: "TARGET_UNREACHABLE",
        message: expect.stringMatching(/^Connection refused: /) as string,
        hint: expect.stringContaining("NO_PROXY") as string,
      });
    }
  });

  it("in time, is given up", async () => {
    useProxy();
    expect(await failureOf(plain, { timeout: 0.3 }, "/never")).toMatchObject({ code: "REQUEST_TIMEOUT" });
  });
});
