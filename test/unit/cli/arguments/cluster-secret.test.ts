import { afterEach, expect, it } from "vitest";
import { takeSecret } from "../../../../src/cli/arguments/cluster-secret.ts";

const before = process.env["SEQQA_SECRET"];
afterEach(() => {
  if (before === undefined) delete process.env["SEQQA_SECRET"];
  else process.env["SEQQA_SECRET"] = before;
});

it("takes the secret out of the environment that targets get", () => {
  process.env["SEQQA_SECRET"] = "of the tests";
  expect(takeSecret("It", { env: process.env })).toBe("of the tests");
  expect(process.env["SEQQA_SECRET"]).toBeUndefined();
});

it.each([{}, { SEQQA_SECRET: "" }, { SEQQA_SECRET: " \n" }])("is a mistake without one: %j", (env) => {
  expect(() => takeSecret("It", { env })).toThrow(
    expect.objectContaining({
      exitStatus: 2,
      message: "It needs the environment variable SEQQA_SECRET, the secret that signs the messages of a distributed run.",
    }),
  );
});
