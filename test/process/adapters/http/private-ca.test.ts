import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { HttpClient, type HttpClientOptions } from "../../../../src/adapters/http/index.ts";
import { RemoteAdapter } from "../../../../src/adapters/remote/index.ts";
import { SeqqaError } from "../../../../src/model/errors.ts";
import { endConnectionDefaults, setConnectionDefaults } from "../../../../src/network/connection-settings.ts";
import { requireReachable } from "../../../../src/targets/lanes/running-lanes.ts";
import { waitUntilReady } from "../../../../src/targets/ready/wait-until-ready.ts";
import { privateAuthority, type Authority } from "../../../support/certificates.ts";
import { closeServers, serveTls } from "../../../support/http-servers.ts";

let ours: Authority;
let theirs: Authority;
let url: string;

beforeAll(async () => {
  [ours, theirs] = [privateAuthority(), privateAuthority()];
  url = await serveTls(ours, (request, response) => response.end(request.url?.endsWith("/checkpoint") === true ? '{"id":1}' : "{}"));
});
afterEach(() => setConnectionDefaults());
afterAll(closeServers);

async function get(options: HttpClientOptions = {}): Promise<number> {
  const client = new HttpClient(url, options);
  try {
    return (await client.get("/")).statusCode;
  } finally {
    await client.close();
  }
}

async function thrownBy(act: () => unknown): Promise<SeqqaError> {
  try {
    await act();
  } catch (error) {
    if (error instanceof SeqqaError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

const UNTRUSTED = {
  code: "TARGET_UNREACHABLE",
  message: expect.stringMatching(/^TLS failure, the certificate is not trusted: /) as string,
  hint: "Set tls.ca_file in seqqa.yaml to the PEM file of the authority that signed the certificate (a self-signed certificate is its own authority), or pass the text of that file as `ca` to the client.",
};

describe("a target with a certificate of a private authority", () => {
  it("is not trusted by itself, and the error says what to do", async () => {
    expect(await thrownBy(() => get())).toMatchObject(UNTRUSTED);
    expect(await thrownBy(() => get({ ca: theirs.ca }))).toMatchObject(UNTRUSTED);
  });

  it("is trusted with `ca`, as text, in a list, and in a bundle with a key beside it", async () => {
    expect(await get({ ca: ours.ca })).toBe(200);
    expect(await get({ ca: [theirs.ca, ours.ca] })).toBe(200);
    expect(await get({ ca: `# bundle\n${theirs.ca}\n${ours.key}${ours.ca}` })).toBe(200);
  });

  it("may have signed itself", async () => {
    const selfSigned = await serveTls({ cert: ours.ca, key: ours.caKey }, (_request, response) => response.end());
    const client = new HttpClient(selfSigned, { ca: ours.ca });
    expect((await client.get("/")).statusCode).toBe(200);
    await client.close();
  });

  it("is trusted by some clients of a thread and not by others", async () => {
    const trusting = new HttpClient(url, { ca: ours.ca });
    expect((await trusting.get("/")).statusCode).toBe(200);
    expect(await thrownBy(() => get())).toMatchObject(UNTRUSTED);
    await trusting.close();
    expect(await thrownBy(() => trusting.get("/"))).toMatchObject({ code: "CLIENT_CLOSED" });
  });

  it("is trusted by what the configuration says, also by a client that was there before, and no longer after", async () => {
    const client = new HttpClient(url);
    setConnectionDefaults({ ca: [ours.ca], proxy: "none" });
    expect((await client.get("/")).statusCode).toBe(200);
    expect(await thrownBy(() => client.request("GET", "/").then(() => get({ ca: [] })))).toMatchObject(UNTRUSTED);
    const run = { ca: [ours.ca], proxy: "none" } as const;
    setConnectionDefaults(run);
    setConnectionDefaults({ ...run });
    endConnectionDefaults(run);
    expect((await client.get("/")).statusCode).toBe(200);
    setConnectionDefaults(run);
    endConnectionDefaults(run);
    expect(await thrownBy(() => client.get("/"))).toMatchObject(UNTRUSTED);
    await client.close();
  });

  it("is reached by a RemoteAdapter, which says the same when it is not", async () => {
    const adapter = (): RemoteAdapter => new RemoteAdapter({ url });
    const scope = { borrowed: false } as never;
    expect(await thrownBy(() => adapter().open(scope))).toMatchObject({ ...UNTRUSTED, code: "REMOTE_UNREACHABLE" });
    setConnectionDefaults({ ca: [ours.ca], proxy: "none" });
    const remote = adapter();
    await remote.open(scope);
    expect(await remote.state()).toEqual({});
    await remote.close();
  });

  it("is found ready, or untrusted at once", async () => {
    const { signal } = new AbortController();
    const ready = (ca: readonly string[]): Promise<unknown> => waitUntilReady([new URL(url)], 60_000, new Promise(() => {}), signal, ca);
    expect(await ready([ours.ca])).toEqual({ kind: "ready", origin: url });
    expect(await ready([])).toMatchObject({ kind: "untrusted" });
    await requireReachable(url, signal, { folder: "/", tls: { ca: [ours.ca] } });
    expect(await thrownBy(() => requireReachable(url, signal, { folder: "/" }))).toMatchObject(UNTRUSTED);
  });
});

describe("a ca that is none", () => {
  it.each<[unknown, RegExp]>([
    ["./ca.pem", /^The option ca of an HttpClient holds no certificate in PEM /],
    ["", /holds no certificate/],
    ["-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----", /holds no certificate/],
    ["-----BEGIN CERTIFICATE-----\nbm90IG9uZQ==\n-----END CERTIFICATE-----", /holds a certificate that cannot be read \(number 1 of 1\)/],
    [["x"], /^The option ca\[0\] of an HttpClient/],
    [12, /is of type number, but must be the text of a certificate/],
    [null, /is null, but must be the text of a certificate/],
  ])("%j is refused", async (ca, message) => {
    const error = await thrownBy(() => new HttpClient(url, { ca: ca as string }));
    expect(error).toMatchObject({ code: "CA_INVALID", exitStatus: 2, message: expect.stringMatching(message) as string });
    expect(error.message).not.toContain("secret");
  });
});
