import { expect, it } from "vitest";
import { template } from "../support/store-templates.ts";
import { install } from "./install.ts";
import { twoHundredSteps } from "./two-hundred-steps.ts";

/** `parse-server/notes.explore.ts` says which findings are expected, and why. */
it("Parse Server from one configuration: nothing diverges, and what is found is what it does wrong", async () => {
  const env = { REAL_SERVER: await install("parse-server", "9.7.0"), REAL_TEMPLATE: await template("postgres") };
  const one = await twoHundredSteps("parse-server", env, 1);
  expect(one.findings).toEqual([["idempotent", ["create_note", "star_note"]]]);
  expect(one.races).toContain("log_out || log_out");
  const two = await twoHundredSteps("parse-server", env, 2);
  expect(two.findings).toEqual(one.findings);
  expect(two.result.digest).toBe(one.result.digest);
});
