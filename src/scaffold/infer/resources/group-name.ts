import { shortHash } from "./identifiers.ts";

/** Matches names that Windows reserves for devices. On Windows, such names cannot be used as file names. */
const DEVICES = /^(?:con|prn|aux|nul|clock|com\d|lpt\d|conin|conout)$/;

/** Returns a file name for words joined by `-`. A long name is shortened and gets a hash. `index` and names of Windows devices get a suffix. */
export function groupName(words: string): string {
  const group = words.length > 48 ? `${words.slice(0, 39)}-${shortHash(words)}` : words;
  return DEVICES.test(group) || group === "index" ? `${group}-actions` : group;
}
