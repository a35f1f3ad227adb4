import { afterEach, describe, expect, it } from "vitest";
import { HttpClient } from "../../../../src/adapters/http/index.ts";
import { closeServers, echo, serve } from "./servers.ts";

afterEach(closeServers);

interface Echo {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function client(path = "", options?: ConstructorParameters<typeof HttpClient>[1]): Promise<HttpClient> {
  return new HttpClient((await serve(echo)) + path, options);
}

describe("verbs", () => {
  it.each(["get", "post", "put", "patch", "delete", "options"] as const)("%s sends its method and path", async (verb) => {
    const api = await client();
    const response = await api[verb]("/orders/1");
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
