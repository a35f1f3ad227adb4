import { shortHash } from "./identifiers.ts";

/** Names that Windows keeps for devices. */
const DEVICES = /^(?:con|prn|aux|nul|clock|com\d|lpt\d|conin|conout)$/;

/** Words with `-` between them as the name of a file: none that is long, or that a file system or the folder treats in a special way. */
export function groupName(words: string): string {
  const group = words.length > 48 ? `${words.slice(0, 39)}-${shortHash(words)}` : words;
  return DEVICES.test(group) || group === "index" ? `${group}-actions` : group;
}
