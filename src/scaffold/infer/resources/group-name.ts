import { shortHash } from "./identifiers.ts";

/** Names that Windows reserves for devices. */
const DEVICES = /^(?:con|prn|aux|nul|clock|com\d|lpt\d|conin|conout)$/;

/**
 * Returns words joined by `-` as the name of a file. A long name is cut, and a name with a special meaning for a file system or the folder gets a
 * suffix.
 */
export function groupName(words: string): string {
  const group = words.length > 48 ? `${words.slice(0, 39)}-${shortHash(words)}` : words;
  return DEVICES.test(group) || group === "index" ? `${group}-actions` : group;
}
