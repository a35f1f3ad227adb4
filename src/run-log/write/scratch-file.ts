import { closeSync, constants, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Spill } from "../../engine/graph/spill.ts";

/** Pieces are cut to multiples of this many bytes, so that what was freed fits what comes. */
const UNIT = 1 << 16;

/** Closes what nobody has any more. */
const left = new FinalizationRegistry<() => void>((close) => close());

/**
 * What a large exploration does not keep in memory: its edges, and captured states of nodes that wait. It holds what the target said, as it was said,
 * so nobody can have it by a name: it is made at the first write, for its owner alone, and loses its name at once where the system allows that (on Windows
 * when it is closed). It is gone with the process, however that ends.
 */
export class ScratchFile implements Spill {
  readonly #folder: string;
  #file: number | undefined;
  #end = 0;
  /** Pieces that were given back, by their units. */
  readonly #free: Map<number, number[]> = new Map();
  #close: (() => void) | undefined;
  #broken: Error | undefined;

  /** `folder`: where it is made; it must be there at the first write. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Bytes that it takes on the disk, about. */
  get size(): number {
    return this.#end;
  }

  write(bytes: Uint8Array): number {
    if (this.#broken !== undefined) throw this.#broken;
    const file = this.#opened();
    const units = Math.ceil(bytes.length / UNIT);
    const free = this.#free.get(units)?.pop();
    const place = free ?? this.#end;
    try {
      for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done, bytes.length - done, place + done);
    } catch (error) {
      // A disk that is full stays so for the run: what was begun is given back to everybody else.
      if (free === undefined) ftruncateSync(file, this.#end);
      this.#broken = error as Error;
      throw error;
    }
    if (free === undefined) this.#end += units * UNIT;
    return place;
  }

  read(place: number, into: Uint8Array): void {
    for (let done = 0; done < into.length;) {
      const count = readSync(this.#file!, into, done, into.length - done, place + done);
      if (count === 0) throw new RangeError("The scratch file ends before what was written to it.");
      done += count;
    }
  }

  free(place: number, length: number): void {
    const units = Math.ceil(length / UNIT);
    const places = this.#free.get(units);
    if (places === undefined) this.#free.set(units, [place]);
    else places.push(place);
  }

  /** Nothing is read from it any more. Without it, it is closed when nobody has it any more. */
  close(): void {
    this.#close?.();
    left.unregister(this);
    this.#close = undefined;
    this.#file = undefined;
    this.#broken ??= new Error("The scratch file is closed.");
  }

  #opened(): number {
    if (this.#file !== undefined) return this.#file;
    const name = join(this.#folder, `.scratch-${randomBytes(8).toString("hex")}`);
    const file = openSync(name, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    const named = !unlinked(name);
    this.#close = () => {
      closeSync(file);
      if (named) unlinked(name);
    };
    left.register(this, this.#close, this);
    return (this.#file = file);
  }
}

function unlinked(name: string): boolean {
  try {
    unlinkSync(name);
    return true;
  } catch {
    return false;
  }
}
