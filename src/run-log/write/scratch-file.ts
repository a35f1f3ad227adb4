import { closeSync, constants, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Spill } from "../../engine/graph/spill.ts";

/** Space in the file is allocated in multiples of this number of bytes, so that later data fits into freed space. */
const UNIT = 1 << 16;

/** Closes the file of a {@link ScratchFile} object when the object is garbage-collected. */
const left = new FinalizationRegistry<() => void>((close) => close());

/**
 * A file for data that a large exploration does not keep in memory: edges, and snapshots of nodes that wait to be expanded.
 *
 * The file contains data of the target with its secrets. Therefore only its owner can open it, and its name is removed from the folder as soon as the
 * file is open (on Windows, when it is closed). The operating system deletes the content however the process ends.
 */
export class ScratchFile implements Spill {
  readonly #folder: string;
  #file: number | undefined;
  #end = 0;
  /** Positions of freed space in the file, by the size of the space in multiples of `UNIT`. */
  readonly #free: Map<number, number[]> = new Map();
  #close: (() => void) | undefined;
  #broken: Error | undefined;

  /** @param folder The folder in which the file is created. It must exist when data is first written. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The approximate size of the file on disk, in bytes. */
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
      // Write nothing more to the file during this run, because the disk is probably full. Truncate the file to remove the incomplete write.
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
      if (count === 0) throw new RangeError("The scratch file is shorter than the data that was written to it.");
      done += count;
    }
  }

  free(place: number, length: number): void {
    const units = Math.ceil(length / UNIT);
    const places = this.#free.get(units);
    if (places === undefined) this.#free.set(units, [place]);
    else places.push(place);
  }

  /** Closes the file, which cannot be read afterwards. Without this call, the file is closed at garbage collection. */
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
