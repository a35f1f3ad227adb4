import { expect, it } from "vitest";
import { divergence } from "../../../../src/lane/report/other-outcome.ts";
import { causedByMemory } from "../../../../src/run/explore/learn/execution-differences.ts";

it.each([true, false])("advises target.rollback: restart only if it is not set (set: %s)", (restarts) => {
  const hints = [divergence({ path: [], differences: [] }, { restarts }).hint, causedByMemory([], { restarts }).hint];
  for (const hint of hints) {
    expect(hint).toMatch(/^Keep \w+ data in a store/);
    expect(hint!.includes("set `target.rollback: restart`")).toBe(!restarts);
  }
});
