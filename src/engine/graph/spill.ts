/** Storage for engine data that need not be in memory. */
export interface Spill {
  /** Stores bytes and returns their place. @throws errors of the file system; nothing is stored then */
  write(bytes: Uint8Array): number;
  /** Fills `into` with the bytes from a place on. @throws errors of the file system */
  read(place: number, into: Uint8Array): void;
  /** Frees `length` bytes at a place. They must not be read again. */
  free(place: number, length: number): void;
}
