/** Bytes; longer header blocks of answers are refused. Node's own limit is 16 KB, and other servers send more. */
export const MAX_HEADER_BYTES: number = 64 * 1024;
