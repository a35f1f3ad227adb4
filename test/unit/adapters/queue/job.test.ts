import { describe, expect, it } from "vitest";
import { payloadOf } from "../../../../src/adapters/queue/job.ts";

describe("the data of a message", () => {
  it.each([
    ['{"order":1}', { order: 1 }],
    ["7", 7],
    ["plain text", "plain text"],
    ["{broken", "{broken"],
    ["", ""],
  ])("%j is %j", (text, data) => {
    expect(payloadOf(Buffer.from(text))).toEqual(data);
  });

  it("bytes that are no text are base64", () => {
    expect(payloadOf(new Uint8Array([0xff, 0xfe]))).toBe("//4=");
  });
});
