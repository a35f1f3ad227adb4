import { expect, test } from "vitest";
import { SeqqaError } from "../../../src/model/errors.ts";
import { openWorld } from "../../../src/testing/index.ts";
import { withShownHint } from "../../../src/testing/shown-hint.ts";

test("the stack has the hint below the message, once", () => {
  const error = new SeqqaError("STORE_BUSY", "It stayed busy.", { hint: "Commit." });
  withShownHint(withShownHint(error));
  expect(error.stack).toMatch(/^\w*Error: It stayed busy\.\nCommit\.\n {4}at /);
  expect(error.message).toBe("It stayed busy.");
});

test("errors without a hint, and errors of others, stay as they are", () => {
  for (const error of [new SeqqaError("X", "No hint."), new Error("other"), "text"]) {
    const before = error instanceof Error ? error.stack : error;
    expect(withShownHint(error)).toBe(error);
    expect(error instanceof Error ? error.stack : error).toBe(before);
  }
});

test("a runner that shows only the stack shows the hints of openWorld()", async () => {
  const failed: unknown = await openWorld({}).catch((error: unknown) => error);
  expect((failed as SeqqaError).stack).toContain(`\n${(failed as SeqqaError).hint}\n`);
});
