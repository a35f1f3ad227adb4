import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import type { Exchange } from "../../../../src/model/http/client.ts";
import { sentRequest } from "../../../../src/lane/step/sent-request.ts";

const sign = (id: string): string =>
  encodeURIComponent(`s:${id}.${createHmac("sha256", "x").update(id).digest("base64").replace(/=+$/, "")}`);

it("shows cookies that Express signed without signature, as states show them", () => {
  const acting = (cookie: string): string => {
    const request = { method: "POST", url: "http://127.0.0.1/login", headers: { Cookie: cookie }, body: "" };
    const response = { request, text: "{}", headers: {} };
    return sentRequest({ kind: "answer", response } as unknown as Exchange)[0]!.acting;
  };
  expect(acting(`connect.sid=${sign("-a_B-9")}; theme=dark`)).toBe(" connect.sid=s:-a_B-9; theme=dark");
  expect(acting(`a=1; sid=${sign("k+3/x=")}`)).toBe(" a=1; sid=s:k+3/x=");
  expect(acting("sid=s%3Aid.short; token=a=b.c%2B")).toBe(" sid=s%3Aid.short; token=a=b.c%2B");
});
