import { NAMED_PARTS, storePart, STORE_PARTS, storePlaceholder } from "../../config/index.ts";
import { SeqqaError } from "../../model/errors.ts";

export interface Filling {
  readonly port: number;
  readonly lane: number;
  readonly dbUrl: string | undefined;
  readonly dbPath: string | undefined;
  /** The URL of each store of the lane. The keys are the names of the stores. */
  readonly urls: Readonly<Record<string, string>>;
}

// Matches placeholders such as `{port}`. A preceding `$` prevents a match, because `${port}` is a shell variable.
const PLACEHOLDER = new RegExp(
  `(?<!\\$)\\{(port|lane|db_url|db_path|db_(?:${STORE_PARTS.join("|")})|(?:${NAMED_PARTS.join("|")}):[^{}]*)\\}`,
  "g",
);

/**
 * Replaces placeholders such as `{port}` in a text. Other text in braces stays unchanged.
 *
 * @throws SeqqaError `TARGET_PLACEHOLDER` for a placeholder without a value
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
    return value ?? undeclared(whole, "db", SET_DB);
  }
  const url = asked.store === "db" ? (filling.urls["db"] ?? filling.dbUrl) : filling.urls[asked.store];
  if (url === undefined)
    return undeclared(
      whole,
      asked.store,
      asked.store === "db" ? SET_DB : `Declare systems.${asked.store} in seqqa.yaml, or correct the name in the placeholder.`,
    );
  if (asked.part === "url") return url;
  const value = storePart(url, asked.part);
  if (value !== undefined) return value;
  // The configured password is empty (`root:@`), so the URL of a lane's copy has no password. A configured URL without any password was already
  // rejected.
  if (asked.part === "password" && storePart(url, "user") !== undefined) return "";
  throw new SeqqaError(
    "TARGET_PLACEHOLDER",
    `A value under target contains ${whole}, but the URL of store "${asked.store}" has no ${asked.part}.`,
    {
      exitStatus: 2,
      hint: `Add the ${asked.part} to the URL of this store in seqqa.yaml, or remove the placeholder.`,
    },
  );
}

const SET_DB = "Set db_url in seqqa.yaml to the URL of the store, or remove the placeholder.";

function undeclared(whole: string, store: string, hint: string): never {
  throw new SeqqaError("TARGET_PLACEHOLDER", `A value under target contains ${whole}, but seqqa.yaml declares no store "${store}".`, {
    exitStatus: 2,
    hint,
  });
}
