import fc from "fast-check";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { CookieStore } from "../../../../src/adapters/http/cookie-store.ts";
import { HttpClient } from "../../../../src/adapters/http/index.ts";
import { clientPartOf } from "../../../../src/model/http/client.ts";
import { size } from "../../../sizes.ts";
import { closeServers, echo, serve } from "../../../support/http-servers.ts";

afterEach(closeServers);

interface Sent {
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  readonly a: string | undefined;
  readonly b: string | undefined;
}

/** Sets the cookie lines given as JSON in the query, and tells what it was sent. */
async function cookieServer(): Promise<string> {
  return serve((request, response) => {
    const lines = new URL(request.url ?? "/", "http://h").searchParams.getAll("set");
    if (lines.length > 0) response.setHeader("set-cookie", lines);
    echo(request, response);
  });
}

async function sent(api: HttpClient, path = "/"): Promise<Sent> {
  const {
    authorization,
    cookie,
    "x-a": a,
    "x-b": b,
  } = (await api.get(path)).json<{ headers: Record<string, string | undefined> }>().headers;
  return { authorization, cookie, a, b };
}

async function setCookies(api: HttpClient, ...lines: string[]): Promise<void> {
  await api.get("/", { query: { set: lines } });
}

describe("cookies", () => {
  it("are kept over requests, by path, and deleted", async () => {
    const api = new HttpClient(await cookieServer());
    await setCookies(api, "a=1; Path=/", "b=2; Path=/admin", "c=3; Path=/; HttpOnly; SameSite=Strict", "bad=1; Domain=example.org");
    expect((await sent(api)).cookie).toBe("a=1; c=3");
    expect((await sent(api, "/admin/x")).cookie).toBe("b=2; a=1; c=3");
    await setCookies(api, "a=; Path=/; Max-Age=0", "c=4; Path=/");
    expect((await sent(api)).cookie).toBe("c=4");
    expect((await api.get("/", { headers: { Cookie: "own=1" } })).json<{ headers: Sent }>().headers.cookie).toBe("own=1");
  });

  it("that are not kept are named once, with the reason and what to do", async () => {
    const api = new HttpClient(await cookieServer());
    const { rejectedCookies } = clientPartOf(api)!;
    await setCookies(api, "a=1; Path=/; Secure", "gone=; Domain=localhost; Max-Age=0");
    expect(rejectedCookies!()).toEqual([]);
    for (const value of ["1", "2"])
      await setCookies(api, `sid=${value}; Domain=localhost`, `far=${value}; Domain=.example.org`, "__Host-x=1; Path=/");
    expect(rejectedCookies!()).toEqual([
      'The cookie "sid" was not kept, because Domain=localhost does not match the host 127.0.0.1. Set target.ready to http://localhost:{port}/, or make the target set the cookie without Domain.',
      'The cookie "far" was not kept, because Domain=example.org does not match the host 127.0.0.1. Make the target set the cookie without Domain, or use a host of this domain in base_url or target.ready.',
      expect.stringMatching(/^The cookie "__Host-x" was not kept: .*__Host prefix/),
    ]);
    const store = new CookieStore();
    store.receive(["sid=1; Secure"], "http://web.test:8080/login");
    expect([...store.rejected.values()]).toEqual([
      'The cookie "sid" was not kept, because it is Secure and http://web.test is neither https nor this machine. Use https, or make the target set the cookie without Secure.',
    ]);
  });

  it("belong to one client", async () => {
    const url = await cookieServer();
    const [one, two] = [new HttpClient(url), new HttpClient(url)];
    await setCookies(one, "a=1");
    expect((await sent(two)).cookie).toBeUndefined();
  });

  it("are put back", async () => {
    const api = new HttpClient(await cookieServer());
    const part = clientPartOf(api)!;
    const empty = part.save();
    await setCookies(api, "session=one; Path=/");
    const loggedIn = part.save();
    await setCookies(api, "session=two; Path=/", "more=1; Path=/");
    part.restore(loggedIn);
    expect((await sent(api)).cookie).toBe("session=one");
    part.restore(empty);
    expect((await sent(api)).cookie).toBeUndefined();
    part.restore(structuredClone(loggedIn));
    expect((await sent(api)).cookie).toBe("session=one");
  });
});

describe("a cookie with Max-Age", () => {
  const DAY = 86_400_000;

  it("lives from its receipt on by the moved clock, also once saved and restored, and keeps its place when it is sent", async () => {
    const api = new HttpClient(await cookieServer());
    const part = clientPartOf(api)!;
    let ahead = 30 * DAY;
    part.keepTime!(() => Date.now() + ahead);
    await setCookies(
      api,
      "a=1; Path=/; Max-Age=3600",
      "b=2; Path=/deep; Max-Age=3600",
      "c=3; Path=/; Max-Age=99999999999999999999",
      "d=4; Path=/; Max-Age=-1",
    );
    expect((await sent(api)).cookie).toBe("a=1; c=3");
    expect((await sent(api, "/deep")).cookie).toBe("b=2; a=1; c=3");
    part.restore(structuredClone(part.save()));
    expect((await sent(api)).cookie).toBe("a=1; c=3");
    ahead += 3_500_000;
    expect((await sent(api)).cookie).toBe("a=1; c=3");
    ahead += 200_000;
    expect((await sent(api)).cookie).toBe("c=3");
    expect(part.acting()).toMatchObject({ cookies: [{ name: "c" }] });
  });

  it("lives longer once it is renewed", async () => {
    const api = new HttpClient(await cookieServer());
    const part = clientPartOf(api)!;
    let ahead = 0;
    part.keepTime!(() => Date.now() + ahead);
    await setCookies(api, "a=1; Path=/; Max-Age=3600");
    ahead = 3_000_000;
    await setCookies(api, "a=1; Path=/; Max-Age=3600");
    ahead = 6_000_000;
    expect((await sent(api)).cookie).toBe("a=1");
    expect(part.acting()).toMatchObject({ cookies: [{ name: "a", value: "1" }] });
  });

  it("has a lifetime in the state, which moves of the clock shorten and a renewal restores, however long the run takes", async () => {
    const api = new HttpClient(await cookieServer());
    const part = clientPartOf(api)!;
    let ahead = 0;
    part.keepTime!(() => Date.now() + ahead);
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["Date"] });
    const wait = (ms: number): unknown => vi.setSystemTime(Date.now() + ms);
    const lifetimes = (): unknown =>
      (part.acting() as { cookies: readonly { lifetime?: number }[] }).cookies.map(({ lifetime }) => lifetime);
    const expires = (ms: number): string => `Expires=${new Date(Date.now() + ahead + ms).toUTCString()}`;
    await setCookies(api, "a=1; Max-Age=604800", `b=2; ${expires(7 * DAY)}`, "c=3", `d=4; ${expires(3650 * DAY)}`);
    const first = part.acting();
    const [bearer, saved] = [part.bearer!(), structuredClone(part.save())];
    expect(lifetimes()).toEqual([604_800, 604_800, undefined, Infinity]);
    wait(600_000);
    expect(part.acting()).toEqual(first);
    await setCookies(api, "a=1; Max-Age=604800", `b=2; ${expires(7 * DAY)}`);
    expect(part.acting()).toEqual(first);
    ahead = 4 * DAY;
    expect(lifetimes()).toEqual([259_200, 259_200, undefined, Infinity]);
    await setCookies(api, "a=1; Max-Age=604800");
    expect(lifetimes()).toEqual([604_800, 259_200, undefined, Infinity]);
    expect(part.bearer!()).toEqual(bearer);
    part.restore(saved);
    expect(lifetimes()).toEqual([259_200, 259_200, undefined, Infinity]);
  });

  it("keeps its lifetime if it is received again with the same end", async () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["Date"] });
    const api = new HttpClient(await cookieServer());
    const end = `a=1; Expires=${new Date(Date.now() + 900_000).toUTCString()}`;
    await setCookies(api, end);
    vi.setSystemTime(Date.now() + 600_000);
    await setCookies(api, end);
    expect(clientPartOf(api)!.acting()).toMatchObject({ cookies: [{ lifetime: 900 }] });
  });

  it("of the root state ends by moves of the clock, not by the time that a run takes", async () => {
    const api = new HttpClient(await cookieServer());
    const part = clientPartOf(api)!;
    let ahead = 0;
    part.keepTime!(() => Date.now() + ahead);
    await setCookies(api, "a=1; Path=/; Max-Age=300", "gone=; Max-Age=0", "keep=1; Path=/");
    const root = part.save();
    part.adopt!();
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    expect((await sent(api)).cookie).toBe("a=1; keep=1");
    expect(part.acting()).toMatchObject({ cookies: [{ name: "a" }, { name: "keep" }] });
    expect(part.expiries!()).toMatchObject([{ name: "a", isOfRoot: true }]);
    ahead = 200_000;
    expect((await sent(api)).cookie).toBe("a=1; keep=1");
    ahead = 301_000;
    expect((await sent(api)).cookie).toBe("keep=1");
    ahead = 0;
    await setCookies(api, "a=2; Path=/; Max-Age=300");
    expect(part.expiries!()).toEqual([{ name: "a", atMs: Date.now() + 300_000 }]);
    part.restore(structuredClone(root));
    expect((await sent(api)).cookie).toBe("a=1; keep=1");
  });

  it("ends without a clock, too, although it is sent again and again", async () => {
    const api = new HttpClient(await cookieServer());
    await setCookies(api, "a=1; Path=/; Max-Age=1");
    const begun = performance.now();
    while (performance.now() - begun < 1100) {
      await sent(api);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect((await sent(api)).cookie).toBeUndefined();
  });
});

describe("version", () => {
  it("grows with what changes and only then", async () => {
    const api = new HttpClient(await cookieServer());
    const part = clientPartOf(api)!;
    const grows = async (change: () => unknown): Promise<boolean> => {
      const before = part.version;
      await change();
      expect(part.version).toBeGreaterThanOrEqual(before);
      return part.version > before;
    };
    expect(await grows(() => api.get("/"))).toBe(false);
    expect(await grows(() => api.setAuthToken(null))).toBe(false);
    const saved = part.save();
    expect(await grows(() => part.restore(saved))).toBe(false);
    expect(await grows(() => api.setAuthToken("t"))).toBe(true);
    expect(await grows(() => api.setAuthToken("t"))).toBe(false);
    expect(await grows(() => api.setHeader("x-a", "1"))).toBe(true);
    expect(await grows(() => api.setHeader("X-A", "1"))).toBe(false);
    expect(await grows(() => setCookies(api, "a=1"))).toBe(true);
    expect(await grows(() => part.restore(saved))).toBe(true);
    expect(part.save()).toBe(saved);
  });
});

describe("acting", () => {
  it("is undefined as constructed, and again once put back", async () => {
    const url = (await cookieServer()).replace("://", "://user:pass@");
    const api = new HttpClient(url, { headers: { "x-a": "1" } });
    const part = clientPartOf(api)!;
    expect(part.acting()).toBeUndefined();
    const saved = part.save();
    api.setAuthToken("t");
    api.setHeader("x-b", "2");
    api.setHeader("x-a", null);
    await setCookies(
      api,
      "z=1; Path=/",
      "a=2; Path=/",
      "a=3; Path=/admin",
      "gone=1; Max-Age=0",
      "old=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
    );
    expect(part.acting()).toEqual({
      token: "t",
      headers: { "x-a": null, "x-b": "2" },
      cookies: [
        { name: "a", value: "2", domain: "127.0.0.1", path: "/" },
        { name: "z", value: "1", domain: "127.0.0.1", path: "/" },
        { name: "a", value: "3", domain: "127.0.0.1", path: "/admin" },
      ],
    });
    api.setAuthToken(null);
    expect(part.acting()).toMatchObject({ authorization: null });
    part.restore(saved);
    expect(part.acting()).toBeUndefined();
  });

  it("leaves out the signature of a cookie that Express signed", async () => {
    const api = new HttpClient(await cookieServer());
    const signature = `${"a".repeat(41)}%2B%2F`;
    await setCookies(api, `a=s%3Aid7.${signature}; Path=/`, `b=s:id8.${"b".repeat(43)}; Path=/`, "c=s:id9.short; Path=/");
    expect(clientPartOf(api)!.acting()).toMatchObject({ cookies: [{ value: "s:id7" }, { value: "s:id8" }, { value: "s:id9.short" }] });
    // A store holds the id without URL encoding.
    await setCookies(api, `a=s%3Ak%2B7%2Fx%3D.${signature}; Path=/`);
    expect(clientPartOf(api)!.acting()).toMatchObject({ cookies: [{ value: "s:k+7/x=" }, {}, {}] });
    const other = new HttpClient(await cookieServer());
    other.setHeader("cookie", `theme=dark; a=s%3Aid7.${signature}`);
    expect(clientPartOf(other)!.acting()).toEqual({ headers: { cookie: "theme=dark; a=s:id7" } });
    // If the client got the cookie from the target, another signature is forged.
    await setCookies(other, `a=s%3Aid7.${signature}; Path=/`);
    expect(clientPartOf(other)!.acting()).toMatchObject({ headers: { cookie: "theme=dark; a=s:id7" } });
    other.setHeader("cookie", `theme=dark; a=s%3Aid7.${"c".repeat(43)}`);
    expect(clientPartOf(other)!.acting()).toMatchObject({ headers: { cookie: "theme=dark; a=s:id7.forged" } });
  });

  it("is undefined after a logout that deletes the cookie", async () => {
    const api = new HttpClient(await cookieServer());
    await setCookies(api, "s=1; Path=/; Max-Age=3600");
    expect(clientPartOf(api)!.acting()).toEqual({ cookies: [{ name: "s", value: "1", domain: "127.0.0.1", path: "/", lifetime: 3600 }] });
    await setCookies(api, "s=; Path=/; Max-Age=0");
    expect(clientPartOf(api)!.acting()).toBeUndefined();
  });
});

describe("save and restore", () => {
  type Command =
    | { readonly kind: "token"; readonly value: string | null }
    | { readonly kind: "header"; readonly name: string; readonly value: string | null }
    | { readonly kind: "cookie"; readonly name: string; readonly value: string }
    | { readonly kind: "save" }
    | { readonly kind: "restore"; readonly index: number };
  const word = fc.constantFrom("p", "q", "r");
  const command: fc.Arbitrary<Command> = fc.oneof(
    fc.record({ kind: fc.constant("token" as const), value: fc.option(word) }),
    fc.record({ kind: fc.constant("header" as const), name: fc.constantFrom("x-a", "x-b"), value: fc.option(word) }),
    fc.record({ kind: fc.constant("cookie" as const), name: fc.constantFrom("a", "b"), value: word }),
    fc.record({ kind: fc.constant("save" as const) }),
    fc.record({ kind: fc.constant("restore" as const), index: fc.nat(9) }),
  );

  it("any order of changes, saves and restores sends what a model says", async () => {
    const url = await cookieServer();
    const sortedCookie = (cookie: string | undefined): string | undefined => cookie?.split("; ").sort().join("; ");
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 15 }), async (commands) => {
        const api = new HttpClient(url, { headers: { "x-a": "0" } });
        const part = clientPartOf(api)!;
        let model: Readonly<Record<string, string | null>> = { "x-a": "0" };
        const saves: { readonly saved: unknown; readonly model: typeof model; readonly acting: unknown }[] = [];
        for (const one of commands) {
          if (one.kind === "token") {
            api.setAuthToken(one.value);
            model = { ...model, token: one.value };
          } else if (one.kind === "header") {
            api.setHeader(one.name, one.value);
            model = { ...model, [one.name]: one.value };
          } else if (one.kind === "cookie") {
            await setCookies(api, `${one.name}=${one.value}; Path=/`);
            model = { ...model, [`cookie-${one.name}`]: one.value };
          } else if (one.kind === "save") saves.push({ saved: part.save(), model, acting: part.acting() });
          else {
            const chosen = saves[one.index % Math.max(1, saves.length)];
            if (chosen === undefined) continue;
            part.restore(chosen.saved);
            model = chosen.model;
            expect(part.acting()).toEqual(chosen.acting);
          }
        }
        const cookies = ["a", "b"].flatMap((name) => (model[`cookie-${name}`] == null ? [] : [`${name}=${model[`cookie-${name}`]}`]));
        const now = await sent(api);
        expect({ ...now, cookie: sortedCookie(now.cookie) }).toEqual({
          authorization: model["token"] == null ? undefined : `Bearer ${model["token"]}`,
          cookie: cookies.length === 0 ? undefined : cookies.join("; "),
          a: model["x-a"] ?? undefined,
          b: model["x-b"] ?? undefined,
        });
        await api.close();
      }),
      { numRuns: size(12, 2000) },
    );
  });
});

describe("a client of another lane", () => {
  it("takes over what was changed since construction, and keeps what it was constructed with itself", async () => {
    const url = await cookieServer();
    const [first, second] = ["1", "2"].map(
      (lane) => new HttpClient(url, { headers: { "x-a": `lane ${lane}`, authorization: `Key ${lane}` } }),
    );
    const part = (api: HttpClient | undefined) => clientPartOf(api)!;
    first!.setHeader("x-b", "session");
    part(second).restore(structuredClone(part(first).save()));
    expect(await sent(second!)).toMatchObject({ a: "lane 2", b: "session", authorization: "Key 2" });
    expect(part(second).acting()).toEqual(part(first).acting());
    first!.setHeader("x-a", null);
    first!.setAuthToken("t");
    part(second).restore(structuredClone(part(first).save()));
    expect(await sent(second!)).toMatchObject({ a: undefined, b: "session", authorization: "Bearer t" });
  });
});
