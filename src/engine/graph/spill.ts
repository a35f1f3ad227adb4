/** Where the engine puts what need not be in memory: bytes that it reads again later. */
export interface Spill {
  /** Keeps bytes, and says where. @throws what the file system says; nothing is kept then */
  write(bytes: Uint8Array): number;
  /** Fills `into` with the bytes from a place on. @throws what the file system says */
  read(place: number, into: Uint8Array): void;
  /** So many bytes at a place are not asked for any more. */
  free(place: number, length: number): void;
}
