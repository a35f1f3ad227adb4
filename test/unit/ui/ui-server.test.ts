import { afterEach, describe, expect, it } from "vitest";
import type { TriedStep } from "../../../src/engine/events.ts";
import { SeqqaError } from "../../../src/model/errors.ts";
import type { WalkedStep, WalkPlace } from "../../../src/model/results/walked.ts";
import { Feed } from "../../../src/ui/feed.ts";
import { LaneDesk, type OpenLane } from "../../../src/ui/lane-desk.ts";
import type { UiEvent } from "../../../src/ui/messages.ts";
import { UiServer } from "../../../src/ui/ui-server.ts";
import { report, result, violation } from "../../support/results.ts";

const visibility = { redact: ["authorization", "password"], includeRequestResponse: true };
const started = { kind: "started", name: "shop", lanes: 1, notes: [], actions: ["create", "pay"], file: "shop.explore.ts" } as const;
const step = (changes: Partial<TriedStep>): TriedStep => ({
  from: 0,
  fromName: "d1703bab",
  toName: "48b80dac",
  action: "create",
  status: 201,
  to: 1,
  isNew: true,
  isFinding: false,
  exchanges: [
    {
      request: { method: "POST", url: "http://127.0.0.1/orders", headers: { authorization: "Bearer hush" }, body: '{"password":"pw-1"}' },
      response: { status: 201, headers: {}, body: "{}" },
      durationMs: 1,
    },
  ],
  state: ["context.order = 1"],
  ...changes,
});

let server: UiServer | undefined;
afterEach(() => server?.close());

/** A lane on which every action leads on. */
const place: WalkPlace = { id: "0123456789abcdef", lines: [], changes: [], applicable: ["create"] };
const taken = (action: string): WalkedStep => ({
  action,
  kind: action === "refused" ? "skipped" : "executed",
  message: "",
  status: 200,
  requests: [],
  changes: [],
  held: ["rule"],
  broken: [],
  errors: [],
});
const drawn: unknown[] = [];
const openLane: OpenLane = async (_exploration, { path }, work) => {
  if (path.includes("none")) throw new SeqqaError("NO_SUCH_ACTION", 'The exploration has no action "none".', { exitStatus: 2 });
  await work({
    actions: ["create", "refused"],
    uses: ["http://127.0.0.1:1"],
    goTo: (_path, draws) => {
      drawn.push(draws);
      return Promise.resolve(place);
    },
    place: () => Promise.resolve(place),
    step: (action) => Promise.resolve(taken(action)),
    judgeRoot: () => Promise.resolve({ held: ["rule"], broken: [], errors: [] }),
  });
};

async function serve(feed = new Feed(visibility), opener = openLane) {
  const desk = new LaneDesk(opener, visibility);
  const page = { html: "<!doctype html>page", policy: "default-src 'none'" };
  server = await UiServer.start({
    feed,
    desk,
    port: 0,
    page,
    shown: (text) => text.replace("hush", "[redacted]"),
    textOf: (exploration, { path }, as) => ({ text: `${as} ${exploration} ${path.join()}`, file: "a.ts" }),
  });
  const { origin, search } = new URL(server.url);
  const ask = async (path: string, init?: RequestInit): Promise<readonly [number, unknown]> => {
    const answer = await fetch(`${origin}${path}${path.includes("?") ? search.replace("?", "&") : search}`, init);
    return [answer.status, await answer.json()];
  };
  return { origin, search, ask, post: (path: string, body: unknown) => ask(path, { method: "POST", body: JSON.stringify(body) }) };
}

/** Reads this many events of a stream. `onFirst` is called when the first one is there. */
async function events(url: string, count: number, onFirst: () => void = () => undefined): Promise<readonly UiEvent[]> {
  const answer = await fetch(url);
  const found: UiEvent[] = [];
  let text = "";
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString("utf8");
    const parts = text.split("\n\n");
    text = parts.pop()!;
    for (const part of parts) if (part.startsWith("data: ")) found.push(JSON.parse(part.slice(6)) as UiEvent);
    if (found.length > 0) onFirst();
    if (found.length >= count) break;
  }
  return found;
}

describe("the server of the page", () => {
  it("answers only with the token of its address, to its own host and its own page", async () => {
    const { origin, search } = await serve();
    const status = async (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<number> =>
      (await fetch(`${origin}${path}`, { headers, method })).status;
    expect(await status(`/${search}`)).toBe(200);
    expect(await status("/")).toBe(403);
    expect(await status("/?token=00000000000000000000000000000000")).toBe(403);
    expect(await status("/api/events")).toBe(403);
    expect(await status(`/api/lane/close${search}`, { origin: "http://evil.example" }, "POST")).toBe(403);
    expect(await status(`/api/lane/close${search}`, { origin }, "POST")).toBe(200);
    expect(await status(`/other${search}`)).toBe(404);
    const { request } = await import("node:http");
    const rebound = await new Promise<number>((resolve) => {
      const { port } = new URL(origin);
      request({ host: "127.0.0.1", port, path: `/${search}`, headers: { host: "evil.example" } }, (answer) =>
        resolve(answer.resume().statusCode!),
      ).end();
    });
    expect(rebound).toBe(403);
  });

  it("survives a request whose path is no path", async () => {
    const { origin, search, ask } = await serve();
    expect((await fetch(`${origin}//`)).status).toBe(400);
    expect((await fetch(`${origin}//${search}`)).status).toBe(400);
    expect((await ask("/api/state?exploration=0&node=1"))[0]).toBe(400);
  });

  it("refuses a port that is in use with one sentence", async () => {
    await serve();
    const port = Number(new URL(server!.url).port);
    const feed = new Feed(visibility);
    const again = UiServer.start({
      feed,
      desk: new LaneDesk(openLane, visibility),
      port,
      page: { html: "", policy: "" },
      shown: (text) => text,
      textOf: () => ({ text: "", file: "" }),
    });
    await expect(again).rejects.toMatchObject({
      code: "UI_PORT",
      exitStatus: 2,
      message: `seqqa ui cannot listen on port ${port} (EADDRINUSE).`,
    });
  });

  it("sends all that is known, and then each event, without secrets", async () => {
    const feed = new Feed(visibility, "--config qa/seqqa.yaml");
    const { origin, search } = await serve(feed);
    feed.event("shop", started);
    feed.tried("shop", step({}));
    feed.event("shop", { kind: "violation", id: "a1", invariant: "once", severity: "high", path: ["create"], steps: 1 });
    let onFirst = (): void => undefined;
    const first = new Promise<void>((resolve) => void (onFirst = resolve));
    const reading = events(`${origin}/api/events${search}`, 5, onFirst);
    await first;
    feed.tried("shop", step({ from: 1, action: "pay", status: 409, to: 1, isNew: false, isFinding: true }));
    feed.event("shop", { kind: "note", message: "a note" });
    feed.explored({
      name: "shop",
      file: "qa/shop.explore.ts",
      result: result({ violations: [violation({ id: "a1", message: "twice" })] }),
    });
    feed.ended(report({ exitStatus: 1 }));
    const [all, ...rest] = await reading;
    expect(all).toMatchObject({
      kind: "all",
      explorations: [
        {
          name: "shop",
          nodes: [
            { node: 0, parent: -1, name: "d1703bab" },
            { node: 1, name: "48b80dac", parent: 0, action: 0, depth: 1, lines: ["context.order = 1"] },
          ],
          edges: [{ from: 0, action: 0, to: 1, status: 201, found: false }],
          findings: [{ id: "a1", name: "once", path: ["create"] }],
        },
      ],
    });
    expect(rest).toMatchObject([
      { kind: "grew", nodes: [], edges: [{ from: 1, action: 1, to: 1, status: 409, found: true }], states: 2, transitions: 2 },
      { kind: "note", text: "a note" },
      { kind: "ended", findings: [{ id: "a1", message: "twice", html: expect.stringContaining('id="finding-a1"') }] },
      { kind: "over", run: report({}).run, exitStatus: 1 },
    ]);
    expect(JSON.stringify(rest[2])).toContain("npx seqqa replay a1 --config qa/seqqa.yaml");
    expect(JSON.stringify([all, ...rest])).not.toMatch(/hush|pw-1/);
  });

  it("sends the states to open for findings, and what makes the result unverified", async () => {
    const feed = new Feed(visibility);
    const { origin, search } = await serve(feed);
    feed.event("shop", started);
    const path = ["create", "pay"];
    const fault = { kind: "refused_write", cut: "response" } as never;
    const violations = [
      violation({ id: "f1", reproductionPath: path, fault }),
      violation({ id: "d1", reproductionPath: path, draws: [[0], [1, 1]] }),
    ];
    const divergences = [{ kind: "replay" as const, path, message: "another state", differences: ["password: hush"] }];
    feed.explored({
      name: "shop",
      file: "qa/shop.explore.ts",
      result: result({ violations, divergences, unverified: ["A rule was not checked."] }),
    });
    const [all] = await events(`${origin}/api/events${search}`, 1);
    const [shown] = (all as Extract<UiEvent, { readonly kind: "all" }>).explorations;
    expect(shown!.findings.map(({ goal }) => goal)).toEqual([{ path: ["create"] }, { path, draws: [["create"], ["pay", "pay"]] }]);
    expect(shown!.problems).toMatch(/another state[^]*A rule was not checked\./);
  });

  it("sends failures, and ends an exploration that failed after its beginning", async () => {
    const feed = new Feed(visibility);
    const { origin, search } = await serve(feed);
    feed.event("shop", started);
    let onFirst = (): void => undefined;
    const first = new Promise<void>((resolve) => void (onFirst = resolve));
    const reading = events(`${origin}/api/events${search}`, 3, onFirst);
    await first;
    const failures = [{ file: "shop.explore.ts", code: "STORE_LOST", message: "The store was lost.", hint: "Start it." }];
    feed.ended(report({ exitStatus: 3, failures }));
    expect((await reading).slice(1)).toMatchObject([
      { kind: "ended", exploration: 0, verdict: "No result: The store was lost.", findings: [] },
      { kind: "over", exitStatus: 3, failures },
    ]);
    const [all] = await events(`${origin}/api/events${search}`, 1);
    expect(all).toMatchObject({ exitStatus: 3, failures, explorations: [{ verdict: "No result: The store was lost." }] });
  });

  it("makes the HTML of findings of nothing but escaped texts", async () => {
    const feed = new Feed(visibility);
    const { origin, search } = await serve(feed);
    feed.event("shop", started);
    const markup = "<img src=x onerror=alert(1)>";
    const hostile = violation({ invariant: markup, message: markup, reproductionPath: [markup] });
    feed.explored({ name: markup, file: "qa/shop.explore.ts", result: result({ violations: [hostile] }) });
    const [all] = await events(`${origin}/api/events${search}`, 1);
    const { html } = (all as Extract<UiEvent, { readonly kind: "all" }>).explorations[0]!.findings[0]!;
    expect(html).toContain("&lt;img src=x onerror=alert(1)&gt;");
    expect(html).not.toContain("<img");
  });

  it("tells the path, the lines and the requests of a state", async () => {
    const feed = new Feed(visibility);
    const { ask, post } = await serve(feed);
    feed.event("shop", started);
    feed.tried("shop", step({}));
    feed.tried("shop", step({ from: 1, action: "pay", to: 2, state: undefined }));
    const [status, state] = await ask("/api/state?exploration=0&node=2");
    expect([status, state]).toMatchObject([200, { path: ["create", "pay"], lines: null, exchanges: [{ response: { status: 201 } }] }]);
    expect(JSON.stringify(state)).not.toMatch(/hush|pw-1/);
    expect(await ask("/api/state?exploration=0&node=9")).toMatchObject([400, { error: "This state does not exist in the run." }]);
    expect(await ask("/api/state?exploration=x&node=9")).toMatchObject([
      400,
      { error: "The parameter exploration of the request must be a number." },
    ]);
    expect(await post("/api/text", { exploration: 0, as: "journey", path: ["create", "pay"] })).toEqual([
      200,
      { text: "journey 0 create,pay", file: "a.ts" },
    ]);
  });

  it("opens a lane, executes actions on it, and closes it", async () => {
    const { post } = await serve();
    expect(await post("/api/lane/step", { action: "create" })).toMatchObject([400, { error: "No target is open on this page." }]);
    const lane = { uses: ["http://127.0.0.1:1"], place, actions: ["create", "refused"] };
    expect(await post("/api/lane", { exploration: 0, path: [] })).toMatchObject([200, { ...lane, path: [], root: { held: ["rule"] } }]);
    expect(await post("/api/lane", { exploration: 0, path: ["create"] })).toMatchObject([200, { ...lane, path: ["create"] }]);
    expect(await post("/api/lane/step", { action: "create" })).toMatchObject([
      200,
      { path: ["create", "create"], step: { action: "create" } },
    ]);
    expect(await post("/api/lane/step", { action: "refused" })).toMatchObject([
      200,
      { path: ["create", "create"], step: { kind: "skipped" } },
    ]);
    expect(await post("/api/lane/close", {})).toEqual([200, {}]);
    expect(await post("/api/lane/step", { action: "create" })).toMatchObject([400, { error: "No target is open on this page." }]);
  });

  it("refuses a request that is too large", async () => {
    const { post } = await serve();
    expect(await post("/api/lane", { exploration: 0, path: ["x".repeat(6_000_000)] })).toMatchObject([
      400,
      { error: "The request is too large." },
    ]);
  });

  it("opens the state of a finding with the test data of the finding", async () => {
    const { post } = await serve();
    const draws = [["create"], ["create", "create"]];
    expect(await post("/api/lane", { exploration: 0, path: ["create"], draws })).toMatchObject([200, { path: ["create"] }]);
    expect(drawn).toEqual([draws]);
  });

  it.each(["/api/lane/close", "/api/lane"])("interrupts the opening of a lane with %s", async (path) => {
    let count = 0;
    let isStarted = (): void => undefined;
    const started = new Promise<void>((resolve) => void (isStarted = resolve));
    // The first lane is never ready.
    const { post } = await serve(new Feed(visibility), async (exploration, options, work) => {
      if (count++ > 0) return openLane(exploration, options, work);
      isStarted();
      await new Promise((_resolve, reject) => options.signal.addEventListener("abort", () => reject(options.signal.reason as Error)));
    });
    const opening = post("/api/lane", { exploration: 0, path: [] });
    await started;
    expect((await post(path, { exploration: 0, path: [] }))[0]).toBe(200);
    expect(await opening).toMatchObject([400, { error: "The lane was closed before it had reached the state." }]);
  });

  it.each([
    [{ exploration: 0, path: [], draws: [["create"], "create"] }, "The field draws of the request must contain lists of names of actions."],
    [{ exploration: 0, path: "create" }, "The field path of the request must be a list of names of actions."],
    [[], "The field path of the request must be a list of names of actions."],
    ["text", "The body of the request must be a JSON object."],
    [{ exploration: 0, path: ["none"] }, 'The exploration has no action "none".'],
    [{ exploration: 0, path: ["refused"] }, "seqqa could not reach the state, because the action refused was not executed."],
    [{ exploration: 0, path: ["refused", "create"] }, "seqqa could not reach the state, because the action refused was not executed."],
  ])("refuses to open %j", async (body, error) => {
    const { post } = await serve();
    expect(await post("/api/lane", body)).toMatchObject([400, { error }]);
  });
});
