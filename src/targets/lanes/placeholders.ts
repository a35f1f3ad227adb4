import { storePart, STORE_PARTS, storePlaceholder } from "../../config/index.ts";
import { SeqqaError } from "../../model/errors.ts";

/** Values for the placeholders of `target.command`, `target.env` and `target.ready`. */
export interface Filling {
  readonly port: number;
  readonly lane: number;
  readonly dbUrl: string | undefined;
  readonly dbPath: string | undefined;
  /** Store name -> the lane's own URL. */
  readonly urls: Readonly<Record<string, string>>;
}

const PARTS = STORE_PARTS.join("|");
// `${port}` belongs to the shell.
const PLACEHOLDER = new RegExp(`(?<!\\$)\\{(port|lane|db_url|db_path|db_(?:${PARTS})|(?:url|${PARTS}):[^{}]*)\\}`, "g");

/** Fills in the placeholders. Any other text in braces belongs to the shell. @throws SeqqaError `TARGET_PLACEHOLDER` for one without a value. */
export function fill(text: string, filling: Filling, quote: (value: string) => string = (value) => value): string {
  return text.replace(PLACEHOLDER, (whole, name: string) => quote(valueOf(whole, name, filling)));
}

/** Returns `true` if the text uses one of the named placeholders. */
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
  if (url === undefined) return undeclared(whole, asked.store === "db" ? "Declare the store as db_url." : "Declare it under systems.");
  if (asked.part === "url") return url;
  const value = storePart(url, asked.part);
  if (value !== undefined) return value;
  throw new SeqqaError("TARGET_PLACEHOLDER", `target uses ${whole}, and the URL of that store has no ${asked.part}.`, {
    exitStatus: 2,
    hint: "Write it into the URL, or take the placeholder out.",
  });
}

function undeclared(whole: string, hint: string): never {
  throw new SeqqaError("TARGET_PLACEHOLDER", `target uses ${whole}, and no such store is declared.`, { exitStatus: 2, hint });
}
