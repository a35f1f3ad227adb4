import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScratchFile } from "../../../../src/run-log/write/scratch-file.ts";

const UNIT = 65_536;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "seqqa-scratch-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const bytesOf = (length: number, fill: number): Uint8Array => new Uint8Array(length).fill(fill);

function readBack(file: ScratchFile, place: number, length: number): Uint8Array {
  const into = new Uint8Array(length);
  file.read(place, into);
  return into;
}

describe("ScratchFile", () => {
  it("reads again what was written, also where pieces were freed and written over", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 3 * UNIT }), fc.boolean()), { maxLength: 30 }), (pieces) => {
        const file = new ScratchFile(folder);
        const kept: { place: number; length: number; fill: number }[] = [];
        pieces.forEach(([length, freed], index) => {
          kept.push({ place: file.write(bytesOf(length, index)), length, fill: index });
          if (!freed) return;
          const [gone] = kept.splice(0, 1);
          file.free(gone!.place, gone!.length);
        });
        for (const { place, length, fill } of kept) expect(readBack(file, place, length).every((byte) => byte === fill)).toBe(true);
        file.close();
      }),
      { numRuns: 30 },
    );
  });

  it("does not grow while as much is freed as is written", () => {
    const file = new ScratchFile(folder);
    let place = file.write(bytesOf(UNIT + 1, 0));
    const { size } = file;
    for (let round = 0; round < 20; round++) {
      file.free(place, UNIT + 1);
      place = file.write(bytesOf(2 * UNIT - round, round));
    }
    expect(file.size).toBe(size);
    file.close();
  });

  it.skipIf(process.platform === "win32")("has no name that anybody could open it by, and makes nothing before it is needed", () => {
    const file = new ScratchFile(folder);
    expect(readdirSync(folder)).toEqual([]);
    file.write(bytesOf(10, 1));
    expect(readdirSync(folder)).toEqual([]);
    file.close();
    file.close();
  });

  it("says so where it cannot be made, and when it is closed", () => {
    const nowhere = new ScratchFile(join(folder, "missing"));
    expect(() => nowhere.write(bytesOf(1, 1))).toThrow(/ENOENT/);
    const file = new ScratchFile(folder);
    file.write(bytesOf(1, 1));
    file.close();
    expect(() => file.write(bytesOf(1, 1))).toThrow(/closed/);
  });

  it("refuses to read what was never written, and has the rest", () => {
    const file = new ScratchFile(folder);
    const place = file.write(bytesOf(100, 7));
    expect(() => readBack(file, place + UNIT, 10)).toThrow(/shorter than/);
    expect(readBack(file, place, 100).every((byte) => byte === 7)).toBe(true);
    file.close();
  });
});
