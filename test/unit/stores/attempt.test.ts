import { expect, test } from "vitest";
import { attempt } from "../../../src/stores/index.ts";

const busy = (error: unknown): boolean => error instanceof Error && error.message === "busy";

test("answers at once when nothing refuses", () =>
  expect(
    attempt(
      () => 1,
      busy,
      10,
      () => new Error("late"),
    ),
  ).toBe(1));

test("throws at once what is no refusal", () => {
  expect(() =>
    attempt(
      () => {
        throw new Error("other");
      },
      busy,
      10,
      () => new Error("late"),
    ),
  ).toThrow("other");
});

test("tries again, and gives up at the limit", async () => {
  let tries = 0;
  const third = (): number => {
    if (++tries < 3) throw new Error("busy");
    return tries;
  };
  expect(await attempt(third, busy, 1000, () => new Error("late"))).toBe(3);
  const never = (): number => {
    throw new Error("busy");
  };
  await expect((async () => attempt(never, busy, 20, (cause) => new Error(`late: ${(cause as Error).message}`)))()).rejects.toThrow(
    "late: busy",
  );
});
