/** The maximum size of all headers of an answer in bytes. Node's default of 16 KB is too small for some servers. */
export const MAX_HEADER_BYTES: number = 64 * 1024;
