import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { PlannedLogin } from "../../../../src/scaffold/infer/plan.ts";
import { configFile } from "../../../../src/scaffold/write/files/config-file.ts";

const textOf = (baseUrl: string | undefined, basePath?: string): string =>
  configFile({ baseUrl, basePath, login: undefined }, "./s.json").text;
const urlOf = (baseUrl: string | undefined): unknown => (parse(textOf(baseUrl)) as { base_url: unknown }).base_url;

describe("the configuration of a scaffold", () => {
  it.each(["http://localhost:8080/v1", "http://127.0.0.1:3000", "http://[::1]:80/x", "http://api.localhost"])("explores %s", (url) => {
    expect(urlOf(url)).toBe(url);
  });

  it.each(["https://api.example.com/v2", "http://localhost.example.com", "http://127.0.0.1.example.com"])(
    "names %s, and explores this machine",
    (url) => {
      expect(urlOf(url)).toBe("http://127.0.0.1:3000");
      expect(textOf(url)).toContain(`# The description's own server: "${url}"\n`);
    },
  );

  it.each([undefined, "ftp://x", "http://x\n y", "http://localhost/?q=1"])("takes %j for no server", (url) => {
    expect(urlOf(url)).toBe("http://127.0.0.1:3000");
    expect(textOf(url)).not.toContain("own server");
  });

  it("leaves the path that the exploration puts before all others to it", () => {
    expect(parse(textOf("http://localhost:8080/v1/", "/v1"))).toMatchObject({ base_url: "http://localhost:8080" });
  });

  it("hides what the API calls its key, beside all that is hidden by default", () => {
    const hidden = (login: PlannedLogin | undefined): unknown =>
      (parse(configFile({ baseUrl: undefined, login }, "./s.json").text) as { report: { redact?: unknown } }).report.redact;
    const key = (name: string): PlannedLogin => ({ kind: "apiKey", in: "header", name, variable: "API_KEY" });
    const example = readFileSync(new URL("../../../../seqqa.yaml.example", import.meta.url), "utf8");
    const byDefault = /^ +redact: \[ (.*) \]/m.exec(example)?.[1]?.split(", ") ?? [];
    expect(byDefault).toContain("authorization");
    expect(hidden(key("X-Shop-Key"))).toEqual([...byDefault, "X-Shop-Key"]);
    expect(hidden(key("X-Api-Key"))).toBeUndefined();
    expect(hidden(key("Access-Token"))).toBeUndefined();
    expect(hidden(key('x"]\n'))).toBeUndefined();
    const login = { kind: "operation", passwordField: "password", token: ["token"], header: { name: "X-Auth", scheme: "" } };
    expect(hidden(login as unknown as PlannedLogin)).toEqual([...byDefault, "X-Auth"]);
    expect(hidden({ kind: "bearer", variable: "API_TOKEN" })).toBeUndefined();
  });
});
