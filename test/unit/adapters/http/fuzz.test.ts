import fc from "fast-check";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { HttpClient, type ApiResponse } from "../../../../src/adapters/http/index.ts";
import { Conformance } from "../../../../src/openapi/conformance/conformance.ts";
import { describe as describeApi } from "../../../../src/openapi/index.ts";
import { htmlText, junitText, printable, violationText } from "../../../../src/reports/index.ts";
import { batches, size } from "../../../sizes.ts";
import { anyValue, HOSTILE_TEXTS, mutatedBytes, tried } from "../../../support/fuzz.ts";
import { parseXml } from "../../../support/xml.ts";
import { document, explored } from "../../reports/hostile-report.ts";
import { violation } from "../../../support/results.ts";
import { closeServers, serveRaw } from "../../../support/http-servers.ts";
import { codePoint } from "../../../support/code-point.ts";

afterEach(closeServers);

const oneLine = (text: string): string => text.replaceAll(/[\r\n]/g, " ").slice(0, 5000);
const hostile = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: codePoint, maxLength: 20 })).map(oneLine);
const body = fc.oneof(
  anyValue.map((value) => Buffer.from(JSON.stringify(value) ?? "")),
  hostile.map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom("[", '{"a":', "{}{}", '{"__proto__":{"polluted":true}}', "[".repeat(50_000), '{"a":1e999}')
    .map((text) => Buffer.from(text)),
);
const NAMES = [
  "content-type",
  "location",
  "set-cookie",
  "content-encoding",
  "retry-after",
  "transfer-encoding",
  "connection",
  "x-a",
  "__proto__",
  "etag",
];
const VALUES = [
  "application/json",
  "text/html; charset=utf-16",
  "gzip",
  "br, gzip",
  "chunked",
  "close",
  "sid=1; Path=/; Max-Age=99999999999999999999",
  "a=b; Domain=evil.example; Secure",
  "/orders/1",
  "//evil.example/",
  "http://127.0.0.1:1/",
  "javascript:pwned()",
  "0",
  "-1",
  "9999999999999",
];
const headers = fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.oneof(fc.constantFrom(...VALUES), hostile)), { maxLength: 4 });
const status = fc.oneof(fc.constantFrom(200, 201, 204, 301, 303, 304, 404, 429, 500, 503, 100, 101, 103), fc.nat(1200));

/** Answers that are HTTP, with contents that no client expects. */
const answers = fc
  .record({ status, reason: hostile, headers, body, coding: fc.constantFrom("plain", "gzip", "br", "chunked", "none") })
  .map(({ status: code, reason, headers: lines, body: content, coding }) => {
    const encoded = coding === "gzip" ? gzipSync(content) : coding === "br" ? brotliCompressSync(content) : content;
    const own = coding === "gzip" || coding === "br" ? `content-encoding: ${coding}\r\n` : "";
    const length =
      coding === "chunked" ? "transfer-encoding: chunked\r\n" : coding === "none" ? "" : `content-length: ${encoded.length}\r\n`;
    const whole =
      coding === "chunked"
        ? Buffer.concat([Buffer.from(`${encoded.length.toString(16)}\r\n`), encoded, Buffer.from("\r\n0\r\n\r\n")])
        : encoded;
    const head = `HTTP/1.1 ${code} ${reason}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}${own}${length}\r\n`;
    return Buffer.concat([Buffer.from(head, "utf8"), whole]);
  });
const bytes = fc.oneof(
  { weight: 5, arbitrary: answers },
  { weight: 4, arbitrary: mutatedBytes(answers) },
  { weight: 1, arbitrary: mutatedBytes(hostile) },
);

const conformance = new Conformance(
  describeApi({
    openapi: "3.1.0",
    paths: {
      "/orders/{id}": {
        get: {
          responses: {
            200: {
              description: "",
              headers: { Location: { required: true, schema: { type: "string", format: "uri" } } },
              content: {
                "application/json": {
                  schema: { type: "object", required: ["id"], properties: { id: { type: "string", pattern: "^(a+)+$" } } },
                },
              },
            },
          },
        },
      },
    },
  }),
);

describe("whatever a target answers", () => {
  it.each(batches(size(48, 10_000), 2500).map(({ first, count }) => [String(first), count] as const))(
    "is an answer, or one sentence that says how it breaks HTTP; and no report takes it for code: cases from %s",
    { timeout: 3_600_000 },
    async (_first, count) => {
      let answer: Buffer = Buffer.alloc(0);
      const url = await serveRaw((socket) => {
        socket.once("data", () => {
          // In two packets, as networks divide answers.
          const middle = Math.floor(answer.length / 2);
          socket.write(answer.subarray(0, middle));
          setImmediate(() => socket.end(answer.subarray(middle)));
        });
      });
      let answered = 0;
      await fc.assert(
        fc.asyncProperty(bytes, fc.boolean(), async (content, followRedirects) => {
          answer = content;
          const api = new HttpClient(url, { timeout: 10, followRedirects, retry: false });
          const got = await tried(() => api.get("/orders/7"), [2, 3]);
          await api.close();
          if (got === undefined) return;
          answered++;
          await check(got);
        }),
        { numRuns: count },
      );
      expect(answered).toBeGreaterThan(count / 10);
    },
  );
});

async function check(got: ApiResponse): Promise<void> {
  expect(got.statusCode).toBeGreaterThanOrEqual(100);
  expect(got.statusCode).toBeLessThan(1000);
  await tried(() => got.json(), [3]);
  await tried(() => conformance.judge(got), [3]);
  const { statusCode, headers: received, text } = got;
  const response = { status: statusCode, headers: received, body: text };
  const found = violation({
    message: text.slice(0, 300),
    response,
    steps: [{ action: "a", status: statusCode, requests: [], changes: [`+ ${text.slice(0, 300)}`] }],
  });
  const run = document({ explorations: [explored({ violations: [found] })] });
  const html = htmlText({ document: run, graphs: [] });
  expect(html).not.toMatch(/<img src=x|<script>pwned/);
  const junit = junitText(run);
  expect(junit).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x84\x86-\x9f]/); // oxlint-disable-line no-control-regex
  parseXml(junit);
  expect(printable(violationText(found))).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/); // oxlint-disable-line no-control-regex
}
