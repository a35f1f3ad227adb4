import { afterEach, describe, expect, it } from "vitest";
import { HttpClient } from "../../../../../src/adapters/http/index.ts";
import { parseBaseUrl, resolveTarget, withoutSecrets } from "../../../../../src/adapters/http/request/target-url.ts";
import { closeServers, echo, serve } from "../../../../support/http-servers.ts";

afterEach(closeServers);

function path(base: string, given: string): string {
  return resolveTarget(parseBaseUrl(base), given, undefined).path;
}

describe("paths are joined to the base", () => {
  it.each([
    ["http://h", "/a", "/a"],
    ["http://h/", "/a", "/a"],
    ["http://h", "a", "/a"],
    ["http://h", "", "/"],
    ["http://h", "?q=1", "/?q=1"],
    ["http://h/api/v1", "/a", "/api/v1/a"],
    ["http://h/api/v1/", "a/b", "/api/v1/a/b"],
    ["http://h/api", "", "/api"],
    ["http://h/api", "?q=1", "/api?q=1"],
    ["http://h/api", "/", "/api/"],
    ["http://h/api", "/../admin", "/api/../admin"],
    ["http://h", "//double", "//double"],
    ["http://h", "/a b/é?q=ü#top", "/a%20b/%C3%A9?q=%C3%BC"],
    ["http://h", "/a%20b", "/a%20b"],
    ["http://h", "/\ud800", "/%EF%BF%BD"],
    ["http://h/api", "http://h/other?x=1", "/other?x=1"],
    ["http://h:80/api", "http://h/other", "/other"],
  ])("%s and %s", (base, given, expected) => {
    expect(path(base, given)).toBe(expected);
  });

  it.each(["http://other/a", "https://h/a", "http://h:81/a", "ftp://h/a", "http://h@other/a", "http://"])(
    "%s is another origin",
    (given) => {
      expect(() => path("http://h", given)).toThrow(/belongs to another server/);
    },
  );

  it.each(["/a\r\nX-Evil: 1", "/a\nb", "/a\0", "/\x7f", "http://h/a\r\nb"])("%j is refused", (given) => {
    expect(() => path("http://h", given)).toThrow(/control character/);
  });

  it("nothing is sent for what is refused", async () => {
    let requests = 0;
    const url = await serve((request, response) => {
      requests++;
      echo(request, response);
    });
    const api = new HttpClient(url);
    await expect(api.get("http://127.0.0.1:1/x")).rejects.toMatchObject({ code: "OTHER_ORIGIN" });
    await expect(api.get("/x\r\n\r\nGET /y HTTP/1.1")).rejects.toMatchObject({ code: "PATH_INVALID" });
    await expect(api.get(undefined as never)).rejects.toMatchObject({ code: "PATH_INVALID" });
    expect((await api.get(`${url}/x`)).ok).toBe(true);
    expect(requests).toBe(1);
  });
});

describe("base URLs", () => {
  it.each(["", "localhost:3000", "ftp://h", "/api", "http://h?x=1", "http://h#x", "http://"])("%j is refused", (text) => {
    expect(() => new HttpClient(text)).toThrow(/base URL/);
  });

  it("credentials are used and shown nowhere", async () => {
    const url = await serve(echo);
    const api = new HttpClient(url.replace("://", "://us%40er:s3cr%2Ft@"));
    const response = await api.get("/");
    expect(response.json<{ headers: Record<string, string> }>().headers["authorization"]).toBe(
      `Basic ${Buffer.from("us@er:s3cr/t").toString("base64")}`,
    );
    expect(response.request.url).toBe(`${url}/`);
    await closeServers();
    const error = await api.get("/x?access_token=abc&n=1").catch((caught: unknown) => caught as Error);
    expect((error as Error).message).toContain("/x?access_token=***&n=1");
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/s3cr|abc/);
  });

  it("a base URL that is broken is quoted without its password", () => {
    const error = ((): Error => {
      try {
        return new HttpClient("http://user:s3cret@host:99999999") as never;
      } catch (caught) {
        return caught as Error;
      }
    })();
    expect(error.message).toContain("http://host:99999999");
    expect(`${error.message} ${String((error.cause as Error | undefined)?.stack)}`).not.toContain("s3cret");
  });

  it("withoutSecrets", () => {
    expect(withoutSecrets("http://a:b@h/x@y?password=1&page=2&apiKey=3")).toBe("http://h/x@y?password=***&page=2&apiKey=***");
  });
});
