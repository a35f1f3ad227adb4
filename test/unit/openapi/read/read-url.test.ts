import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { ApiDescription } from "../../../../src/openapi/operations/description.ts";
import { readDescription } from "../../../../src/openapi/index.ts";
import { withSchema } from "../../../support/openapi-folder.ts";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Answers by path: a value as JSON, or a function. Returns the origin. */
async function serving(pages: Readonly<Record<string, unknown>>): Promise<string> {
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ""];
    if (typeof page === "function") (page as (request: IncomingMessage, response: ServerResponse) => void)(request, response);
    else response.writeHead(page === undefined ? 404 : 200).end(JSON.stringify(page));
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const to =
  (location: string) =>
  (_: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(302, { location }).end();

const read = (url: string, allowRefs = false): Promise<ApiDescription> => readDescription(url, { cwd: "/", allowRefs });

describe("a description from a URL", () => {
  it("that nobody answers at is said in words", async () => {
    const origin = await serving({});
    const server = servers.pop()!;
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await expect(read(`${origin}/x.json`)).rejects.toThrow(`${origin}/x.json cannot be read: nothing listens there (ECONNREFUSED).`);
    await expect(read("http://127.0.0.1:9/x.json")).rejects.toThrow("HTTP clients block its port");
  });

  it("is read, redirects of http followed; its servers are against where it was found", async () => {
    const origin = await serving({
      "/v1/api.json": withSchema({}, { servers: [{ url: "/v1" }, { url: "." }] }),
      "/old": to("/v1/api.json"),
    });
    const description = await read(`${origin}/old`);
    expect(description.servers).toEqual([`${origin}/v1`, `${origin}/v1/`]);
  });

  it("without servers has that of its origin", async () => {
    const origin = await serving({ "/api.json": withSchema({}) });
    expect((await read(`${origin}/api.json`)).servers).toEqual([`${origin}/`]);
  });

  it.each(["file:///etc/passwd", "ftp://x/y", "http://"])("that redirects to %s is not read", async (location) => {
    const origin = await serving({ "/": to(location) });
    await expect(read(origin)).rejects.toMatchObject({ exitStatus: 2, message: expect.stringContaining("does not follow") as string });
  });

  it("that redirects for ever is not waited for", async () => {
    const origin = await serving({ "/": to("/") });
    await expect(read(origin)).rejects.toMatchObject({ code: "DESCRIPTION_UNREADABLE" });
  });

  it("that is not there is an error with its status, and without user, password and query", async () => {
    const origin = await serving({});
    const error = await read(`${origin.replace("//", "//me:secret@")}/api.json?key=secret`).catch((one: unknown) => one as Error);
    expect(error).toMatchObject({ code: "DESCRIPTION_NOT_FOUND", exitStatus: 2 });
    expect((error as Error).message).toContain("404");
    expect(JSON.stringify([error, (error as Error).message])).not.toContain("secret");
  });

  it("takes a user and password, which no other origin and no message gets", async () => {
    const seen: unknown[] = [];
    const note = (request: IncomingMessage): number => seen.push(request.headers.authorization);
    const other = await serving({
      "/": (request: IncomingMessage, response: ServerResponse) => (note(request), response.end(JSON.stringify(withSchema({})))),
    });
    const origin = await serving({
      "/": (request: IncomingMessage, response: ServerResponse) => (note(request), to(other)(request, response)),
    });
    const description = await read(origin.replace("//", "//me:p%40ss@"));
    expect(seen).toEqual([`Basic ${Buffer.from("me:p@ss").toString("base64")}`, undefined]);
    expect(description.servers).toEqual([`${other}/`]);
  });

  it("where nobody listens is an error", async () => {
    const origin = await serving({});
    servers.pop()!.close();
    await expect(read(origin)).rejects.toMatchObject({ code: "DESCRIPTION_UNREADABLE", exitStatus: 2 });
  });

  it("that never ends is broken off", async () => {
    const chunk = Buffer.alloc(1024 * 1024, 32);
    const origin = await serving({
      "/": (_: IncomingMessage, response: ServerResponse) => {
        const more = (): void => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on("drain", more);
        more();
      },
    });
    await expect(read(origin)).rejects.toMatchObject({ code: "DESCRIPTION_TOO_LARGE" });
  });

  it("refers to its own origin, and to files, only as far as that was allowed", async () => {
    const origin = await serving({
      "/a/api.json": withSchema({ $ref: "other.json" }),
      "/a/other.json": { title: "other" },
      "/f.json": withSchema({ $ref: "file:///etc/hostname" }),
    });
    await expect(read(`${origin}/a/api.json`)).rejects.toMatchObject({
      code: "DESCRIPTION_REF_REFUSED",
      message: expect.stringContaining("--allow-refs") as string,
    });
    const description = await read(`${origin}/a/api.json`, true);
    expect(description.resolve(description.operations[0]!.responses[0]!.media[0]!.schema!)).toMatchObject({ title: "other" });
    for (const allowed of [false, true])
      await expect(read(`${origin}/f.json`, allowed)).rejects.toMatchObject({ code: "DESCRIPTION_REF_REFUSED" });
  });
});
