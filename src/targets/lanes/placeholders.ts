import { storePart, STORE_PARTS, storePlaceholder } from "../../config/index.ts";
import { SeqqaError } from "../../model/errors.ts";

export interface Filling {
  readonly port: number;
  readonly lane: number;
  readonly dbUrl: string | undefined;
  readonly dbPath: string | undefined;
  /** The URL of each store of the lane, by name of the store. */
  readonly urls: Readonly<Record<string, string>>;
}

const PARTS = STORE_PARTS.join("|");
// Matches placeholders such as `{port}`. A preceding `$` prevents a match, because `${port}` is a shell variable.
const PLACEHOLDER = new RegExp(`(?<!\\$)\\{(port|lane|db_url|db_path|db_(?:${PARTS})|(?:url|${PARTS}):[^{}]*)\\}`, "g");

/**
 * Replaces placeholders such as `{port}` in a text. Other text in braces stays as it is. @throws SeqqaError `TARGET_PLACEHOLDER` for a placeholder
 * without a value
 */
export function fill(text: string, filling: Filling, quote: (value: string) => string = (value) => value): string {
  return text.replace(PLACEHOLDER, (whole, name: string) => quote(valueOf(whole, name, filling)));
}

/** Returns `true` if the text contains at least one of the named placeholders. */
export function uses(text: string, ...names: readonly string[]): boolean {
  return [...text.matchAll(PLACEHOLDER)].some(([, used = ""]) => names.includes(used));
}

function valueOf(whole: string, name: string, filling: Filling): string {
  const asked = storePlaceholder(name);
  if (asked === undefined) {
    const value = name === "port" || name === "lane" ? String(filling[name]) : name === "db_url" ? filling.dbUrl : filling.dbPath;
    return value ?? undeclared(whole, "Declare the store as db_url.");
  }
  const url = asked.store === "db" ? (filling.urls["db"] ?? filling.dbUrl) : filling.urls[asked.store];
  if (url === undefined)
    return undeclared(
      whole,
      asked.store === "db" ? "Declare the store as db_url." : "Declare the store under systems, or correct the name in the placeholder.",
    );
  if (asked.part === "url") return url;
  const value = storePart(url, asked.part);
  if (value !== undefined) return value;
  throw new SeqqaError("TARGET_PLACEHOLDER", `A value under target contains ${whole}, but the URL of that store has no ${asked.part}.`, {
    exitStatus: 2,
    hint: `Add the ${asked.part} to the store's URL, or remove the placeholder.`,
  });
}

function undeclared(whole: string, hint: string): never {
  throw new SeqqaError("TARGET_PLACEHOLDER", `A value under target contains ${whole}, but seqqa.yaml declares no such store.`, {
    exitStatus: 2,
    hint,
  });
}
