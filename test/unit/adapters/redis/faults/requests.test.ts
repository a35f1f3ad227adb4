import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RequestReader } from "../../../../../src/adapters/redis/faults/requests.ts";

const command = (...parts: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat([
    Buffer.from(`*${parts.length}\r\n`),
    ...parts.flatMap((part) => [Buffer.from(`$${Buffer.byteLength(part)}\r\n`), Buffer.from(part), Buffer.from("\r\n")]),
  ]);

/** Reads bytes in pieces that end at the given places. */
function readInPieces(bytes: Buffer, places: readonly number[]) {
  const reader = new RequestReader();
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return ends.flatMap((end, at) => reader.read(bytes.subarray(ends[at - 1] ?? 0, end)));
}

describe("commands that a client sends to Redis", () => {
  it("are read with their name and first argument, whatever the arguments contain", () => {
    const sent = [command("SET", "cart:1", "*2\r\n$3\r\nDEL\r\n"), Buffer.from("PING hello\r\n"), command("multi"), command()];
    const read = new RequestReader().read(Buffer.concat(sent));
    expect(read.map(({ name, first }) => [name, first])).toEqual([
      ["set", "cart:1"],
      ["ping", "hello"],
      ["multi", undefined],
      ["", undefined],
    ]);
    expect(read.map(({ bytes }) => bytes)).toEqual(sent);
  });

  it("are the same in whatever pieces they come", () => {
    const part = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
    );
    const commands = fc.array(fc.array(part, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(commands, fc.array(fc.nat(), { maxLength: 8 }), (all, places) => {
        const sent = all.map((parts) => command(...parts));
        expect(readInPieces(Buffer.concat(sent), places).map(({ bytes }) => bytes)).toEqual(sent);
      }),
    );
  });

  it("are passed on whole where they are none", () => {
    const wrong = Buffer.from("*1\r\nhello\r\n");
    expect(new RequestReader().read(wrong)).toEqual([{ bytes: wrong, name: "", first: undefined }]);
    const endless = Buffer.alloc(70_000, "x");
    expect(new RequestReader().read(endless).map(({ bytes }) => bytes.length)).toEqual([70_000]);
  });
});
