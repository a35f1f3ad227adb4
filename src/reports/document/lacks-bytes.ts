/** Matches bodies with bytes that are not UTF-8, and multipart bodies with a file that is described as `<12 bytes>`. */
const LOSSY = /\ufffd|^--[^]*\r\n\r\n<\d+ bytes>\r\n--/;

/** Returns `true` if a recorded body of a request only describes the bytes that were sent. */
export function lacksBytes(body: string | undefined): boolean {
  return body !== undefined && LOSSY.test(body);
}
