import { expect, it } from "vitest";
import { install } from "./install.ts";
import { twoHundredSteps } from "./two-hundred-steps.ts";

/** `better-auth/auth.explore.ts` says which findings are expected, and why. */
it("better-auth from one configuration: nothing diverges, and what is found is what it does wrong", async () => {
  const env = { REAL_SERVER: await install("better-auth", "1.6.9") };
  const one = await twoHundredSteps("better-auth", env, 1);
  expect(one.findings).toEqual([]);
  expect(one.races).toContain("delete_me || delete_me");
  const two = await twoHundredSteps("better-auth", env, 2);
  expect(two.findings).toEqual(one.findings);
  expect(two.result.digest).toBe(one.result.digest);
});
