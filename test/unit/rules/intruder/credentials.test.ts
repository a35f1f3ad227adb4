import { expect, it } from "vitest";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { credentialsOf } from "../../../../src/rules/intruder/credentials.ts";

it("the id of a signed cookie is a credential, also if it contains dots", () => {
  const id = "7.k3x9Rt7bVq2ZsW4y";
  const answer = ApiResponse.of(200, undefined, { "set-cookie": `sid=s%3A${id}.${"a".repeat(43)}; Path=/` });
  expect(credentialsOf([answer])).toContain(id);
  // Texts that only begin like a signed cookie are one credential.
  const other = ApiResponse.of(200, undefined, { "set-cookie": "sid=s%3Aeuropean-customers.of-2025; Path=/" });
  expect(credentialsOf([other])).not.toContain("european-customers");
});
