import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { ApiResponse } from "../../../src/model/http/response.ts";
import type { CheckedStep } from "../../../src/model/declare/rule.ts";
import { conformsTo, type ConformsToOptions, type Rule } from "../../../src/rules/index.ts";

const SPEC = {
  openapi: "3.1.0",
  info: { title: "Shop", version: "1" },
  paths: {
    "/orders/{id}": {
      get: {
        responses: {
          "200": {
            content: { "application/json": { schema: { type: "object", required: ["id"], properties: { id: { type: "integer" } } } } },
          },
        },
      },
    },
  },
};

function answer(status: number, text: string, path = "/orders/1"): ApiResponse {
  return new ApiResponse(
    status,
    text,
    { "content-type": "application/json" },
    { method: "GET", url: `http://localhost${path}`, headers: {} },
  );
}

/** Why it could not judge the last step. */
const inconclusive: string[] = [];

/** What the rule says of a step with these answers; `undefined`: it holds. */
async function said(rule: Rule, ...answers: readonly ApiResponse[]): Promise<string | undefined> {
  const explained: string[] = [];
  inconclusive.length = 0;
  const step = {
    action: { name: "read_order", tags: [], as: undefined, expectedStatus: undefined },
    answers,
    explain: (text: string) => explained.push(text) < 0,
    inconclusive: (text: string) => inconclusive.push(text) > 0,
  } as unknown as CheckedStep;
  const holds = await rule.judge({} as never, step);
  expect(holds).toBe(explained.length === 0);
  return explained[0];
}

function rule(options?: ConformsToOptions): Rule {
  return conformsTo(SPEC, options) as unknown as Rule;
}

describe("conformsTo", () => {
  it("holds for every answer of a step, and names the first that is not as described", async () => {
    expect(await said(rule(), answer(200, '{"id":1}'), answer(200, '{"id":2}'))).toBeUndefined();
    expect(await said(rule(), answer(200, '{"id":1}'), answer(200, '{"id":"SECRET"}'))).toBe(
      "GET /orders/{id}, status 200: /id is not of type integer",
    );
    expect(await said(rule(), answer(500, "{}"))).toBe("GET /orders/{id}, status 500: the status is not described (200)");
  });

  it("says nothing of requests that are not described, unless it is asked to", async () => {
    expect(await said(rule(), answer(200, "{}", "/other"))).toBeUndefined();
    expect(await said(rule({ undescribed: "report" }), answer(200, "{}", "/other"))).toBe(
      "read_order made a GET request that is not in the API description",
    );
  });

  it("counts a step once that it could not judge, and finds what is wrong in another answer of it", async () => {
    const schema = { type: "object", properties: { id: { type: "integer" }, code: { type: "string", pattern: "^(a+)+$" } } };
    const get = { responses: { "200": { content: { "application/json": { schema } } } } };
    const slow = conformsTo({ ...SPEC, paths: { "/orders/{id}": { get } } }) as unknown as Rule;
    const hostile = answer(200, JSON.stringify({ code: `${"a".repeat(60)}!` }));
    expect(await said(slow, hostile, hostile)).toBeUndefined();
    expect(inconclusive).toEqual([
      'GET /orders/{id}, status 200: matching the pattern "^(a+)+$" takes more than 0.2 seconds, so the value was not checked against it',
    ]);
    expect(await said(slow, hostile, answer(200, '{"id":"x"}'))).toBe("GET /orders/{id}, status 200: /id is not of type integer");
    expect(inconclusive).toEqual([]);
  });

  it("says nothing of clients that are not HTTP", async () => {
    expect(await said(rule(), ApiResponse.of(500))).toBeUndefined();
  });

  it("leaves out statuses that need not be described", async () => {
    expect(await said(rule({ except: ["5xx", 401] }), answer(500, "{}"), answer(401, ""))).toBeUndefined();
    expect(await said(rule({ except: [401] }), answer(500, "{}"))).toBeDefined();
  });

  it("knows where the target has it", async () => {
    expect(await said(rule({ base: "/api" }), answer(200, "[]", "/api/orders/1"))).toBeDefined();
    expect(await said(rule(), answer(200, "[]", "/api/orders/1"))).toBeUndefined();
  });

  it("is MEDIUM, or what is said", () => {
    expect(rule().severity).toBe("medium");
    expect(rule({ severity: "high" }).severity).toBe("high");
  });

  it("reads a file once, by path or URL, when it is first needed", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "seqqa-conforms-")), "openapi.json");
    for (const spec of [file, pathToFileURL(file), pathToFileURL(file).href]) {
      const lazy = conformsTo(spec) as unknown as Rule;
      writeFileSync(file, JSON.stringify(SPEC));
      expect(await said(lazy, answer(500, ""))).toContain("status 500");
      writeFileSync(file, "");
      expect(await said(lazy, answer(500, ""))).toContain("status 500");
    }
  });

  it("raises what cannot be read, with its place", async () => {
    const missing = conformsTo("./no/such/openapi.yaml") as unknown as Rule;
    await expect(said(missing, answer(200, "{}"))).rejects.toMatchObject({ code: "DESCRIPTION_NOT_FOUND", exitStatus: 2 });
    const other = conformsTo({ asyncapi: "2.0.0" }) as unknown as Rule;
    await expect(said(other, answer(200, "{}"))).rejects.toMatchObject({
      code: "DESCRIPTION_NOT_OPENAPI",
      message: expect.stringContaining("AsyncAPI") as string,
    });
  });

  it("leaves the object as it is", async () => {
    const before = structuredClone(SPEC);
    await said(rule(), answer(200, '{"id":1}'));
    expect(SPEC).toEqual(before);
  });
});
