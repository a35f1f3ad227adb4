/** Storage, usually a file, for data of the engine that does not fit into memory. */
export interface Spill {
  /** Stores bytes, and returns the place where they are stored. @throws errors of the file system; after an error, no bytes are stored */
  write(bytes: Uint8Array): number;
  /** Fills `into` with the bytes that begin at a place. @throws errors of the file system */
  read(place: number, into: Uint8Array): void;
  /** Frees `length` bytes at a place. These bytes must not be read afterwards. */
  free(place: number, length: number): void;
}
