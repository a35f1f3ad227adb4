import { expect, it } from "vitest";
import { SeqqaError } from "../../../../src/model/errors.ts";
import { closeAfter } from "../../../../src/run/lanes/close-after.ts";

const fails = (error: Error) => async (): Promise<never> => {
  throw error;
};
const works = async (): Promise<void> => Promise.resolve();
const first = new SeqqaError("FIRST", "It ended.", { hint: "Do this.", exitStatus: 2 });

it("gives what was done once it is closed", async () => {
  let closed = 0;
  const close = async (): Promise<void> => Promise.resolve(void closed++);
  expect(await closeAfter(async () => Promise.resolve(7), close)).toBe(7);
  expect(closed).toBe(1);
  await expect(closeAfter(fails(first), close)).rejects.toBe(first);
  expect(closed).toBe(2);
});

it("tells both failures, the first one first", async () => {
  const second = new SeqqaError("SECOND", "Rows stayed.");
  await expect(closeAfter(works, fails(second))).rejects.toBe(second);
  await expect(closeAfter(fails(first), fails(second))).rejects.toMatchObject({
    code: "FIRST",
    message: "It ended. Rows stayed.",
    hint: "Do this.",
    exitStatus: 3,
  });
});

it("does not tell one failure twice, and no interruption", async () => {
  await expect(closeAfter(fails(first), fails(new SeqqaError("FIRST", "Again.")))).rejects.toBe(first);
  const second = new SeqqaError("SECOND", "Rows stayed.");
  await expect(closeAfter(fails(new Error("interrupted")), fails(second))).rejects.toBe(second);
});
