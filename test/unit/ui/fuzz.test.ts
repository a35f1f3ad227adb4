import fc from "fast-check";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { SeqqaError } from "../../../src/model/errors.ts";
import type { WalkPlace } from "../../../src/model/results/walked.ts";
import { Feed } from "../../../src/ui/feed.ts";
import { LaneDesk, type OpenLane } from "../../../src/ui/lane-desk.ts";
import { UiServer } from "../../../src/ui/ui-server.ts";
import { batches, size } from "../../sizes.ts";
import { anyValue, checkPrototypes, HOSTILE_TEXTS, INTERNAL, mutated, mutatedBytes } from "../../support/fuzz.ts";
import { codePoint } from "../../support/code-point.ts";

const visibility = { redact: ["password"], includeRequestResponse: true };
const place: WalkPlace = { id: "0123456789abcdef", lines: [], changes: [], applicable: ["create"] };
const judged = { held: [], broken: [], errors: [] };
/** A lane of one action. */
const openLane: OpenLane = async (exploration, { path }, work) => {
  if (exploration !== 0) throw new SeqqaError("NO_SUCH_EXPLORATION", "There is no such exploration.", { exitStatus: 2 });
  if (path.some((one) => one !== "create"))
    throw new SeqqaError("NO_SUCH_ACTION", "The exploration has no such action.", { exitStatus: 2 });
  await work({
    actions: ["create"],
    uses: [],
    goTo: () => Promise.resolve(place),
    place: () => Promise.resolve(place),
    judgeRoot: () => Promise.resolve(judged),
    step: (action) =>
      action === "create"
        ? Promise.resolve({ action, kind: "executed", message: "", status: 200, requests: [], changes: [], ...judged })
        : Promise.reject(new SeqqaError("NO_SUCH_ACTION", "The exploration has no such action.", { exitStatus: 2 })),
  });
};

let server: UiServer | undefined;
afterEach(() => server?.close());

async function serve(): Promise<URL> {
  const feed = new Feed(visibility);
  feed.event("shop", { kind: "started", name: "shop", lanes: 1, notes: [], actions: ["create"], file: "shop.explore.ts" });
  feed.tried("shop", {
    from: 0,
    fromName: "a",
    toName: "b",
    action: "create",
    status: 201,
    to: 1,
    isNew: true,
    isFinding: false,
    exchanges: [],
    state: ["x"],
  });
  server = await UiServer.start({
    feed,
    desk: new LaneDesk(openLane, visibility),
    port: 0,
    page: { html: "<!doctype html>page", policy: "default-src 'none'" },
    shown: (text) => text,
    textOf: (exploration) => {
      if (exploration !== 0) throw new SeqqaError("NO_SUCH_EXPLORATION", "There is no such exploration.", { exitStatus: 2 });
      return { text: "", file: "a.ts" };
    },
  });
  return new URL(server.url);
}

/** Sends bytes on a connection of their own, and returns what came back until it was closed. */
function exchange(port: string, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(Number(port), "127.0.0.1", () => socket.end(bytes));
    socket.setEncoding("latin1").on("data", (text: string) => {
      answer += text;
      // The stream of events has no end.
      if (answer.includes("text/event-stream")) socket.destroy();
    });
    socket.setTimeout(10_000, () => socket.destroy());
    socket.on("error", () => undefined).once("close", () => resolve(answer));
  });
}

const text = fc
  .oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: codePoint, maxLength: 20 }))
  .map((one) => one.replaceAll(/\p{Cs}/gu, "x").slice(0, 2000));
const number = fc.oneof(fc.constantFrom("0", "1", "2", "999999999", "-1", "1e3", "0x1", " 1", ""), text);
const paths = fc.constantFrom(
  "/",
  "/api/events",
  "/api/state",
  "/api/text",
  "/api/lane",
  "/api/lane/step",
  "/api/lane/close",
  "/api",
  "//",
  "/../etc/passwd",
  "/api/state/..",
  "*",
);
const query = fc.array(fc.tuple(fc.constantFrom("exploration", "node", "as", "action", "token", "__proto__"), number), { maxLength: 4 });
const bodies = fc.oneof(
  mutated([{ exploration: 0, path: ["create", "create"] }, { action: "create" }, {}]).map((one) => Buffer.from(JSON.stringify(one) ?? "")),
  mutatedBytes(fc.constantFrom('{"exploration":0,"path":[]}', '{"action":"create"}')),
  anyValue.map((one) => Buffer.from(JSON.stringify(one) ?? "")),
  fc.constant(Buffer.alloc(150_000, "x")),
);
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly authority: "own" | "other" | "none";
  readonly hasToken: boolean;
  readonly length: number;
  readonly body: Buffer;
}
const requests = fc.record({
  method: fc.constantFrom("GET", "POST", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "get"),
  path: paths,
  query,
  authority: fc.constantFrom("own" as const, "own" as const, "own" as const, "other" as const, "none" as const),
  hasToken: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  length: fc.constantFrom(0, 0, 0, 0, 1, -1),
  body: bodies,
});

/** A request that is answered 200, which few random requests are. */
const VALID = {
  method: "GET" as const,
  path: "/" as const,
  query: [],
  authority: "own" as const,
  hasToken: true,
  length: 0 as const,
  body: Buffer.alloc(0),
};

function bytesOf({ method, path, query: pairs, authority, hasToken, length, body }: Sent, url: URL): Buffer {
  const all = [...pairs, ...(hasToken ? [["token", url.searchParams.get("token")!] as const] : [])];
  const search = all.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  const host = authority === "none" ? "" : `host: ${authority === "own" ? url.host : "evil.example"}\r\n`;
  const head = `${method} ${path}?${search} HTTP/1.1\r\n${host}connection: close\r\ncontent-length: ${Math.max(0, body.length + length)}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

describe("whatever is sent to the page of a run", () => {
  it.each(batches(size(60, 10_000), 2500).map(({ first, count }) => [String(first), count] as const))(
    "is answered, or refused with one sentence, and never fails inside: cases from %s",
    { timeout: 3_600_000 },
    async (_first, count) => {
      const url = await serve();
      const noise = fc.record({ sent: requests, spoilt: mutatedBytes(fc.constant("")) });
      const counts = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(requests, fc.option(noise, { freq: 4 }), async (sent, spoilt) => {
          const bytes = bytesOf(sent, url);
          const middle = Math.floor(bytes.length / 2);
          const answer = await exchange(
            url.port,
            spoilt === null ? bytes : Buffer.concat([bytes.subarray(0, middle), spoilt.spoilt, bytes.subarray(middle)]),
          );
          const [, status = ""] = /^HTTP\/1\.1 (\d{3})/.exec(answer) ?? [];
          counts.set(status, (counts.get(status) ?? 0) + 1);
          // No answer at all: the request was cut off, so that it never was one.
          expect(["", "200", "400", "403", "404", "408", "413", "431"]).toContain(status);
          expect(answer).not.toMatch(INTERNAL);
          if (!sent.hasToken && spoilt === null) expect(["400", "403", ""]).toContain(status);
          if (sent.authority === "other" && spoilt === null) expect(["400", "403", ""]).toContain(status);
          expect(answer).not.toContain("pwned()");
          checkPrototypes();
        }),
        { numRuns: count, examples: [[VALID, null]] },
      );
      expect(counts.get("200") ?? 0).toBeGreaterThan(0);
      expect((await fetch(url)).status).toBe(200);
    },
  );
});
