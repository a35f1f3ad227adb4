import { SeqqaError } from "../model/errors.ts";

/** What `target.command`, `target.env` and `target.ready` are filled with. */
export interface Filling {
  readonly port: number;
  readonly lane: number;
  readonly dbUrl: string | undefined;
  readonly dbPath: string | undefined;
  /** Store name -> the lane's own URL. */
  readonly urls: Readonly<Record<string, string>>;
}

// `${port}` is the shell's, not ours.
const PLACEHOLDER = /(?<!\$)\{(port|lane|db_url|db_path|url:[^{}]*)\}/g;

/** Fills the placeholders in; anything else in braces is the shell's. @throws SeqqaError `TARGET_PLACEHOLDER` for one without a value. */
export function fill(text: string, filling: Filling, quote: (value: string) => string = (value) => value): string {
  return text.replace(PLACEHOLDER, (whole, name: string) => {
    const value = valueOf(name, filling);
    if (value === undefined) {
      throw new SeqqaError("TARGET_PLACEHOLDER", `target uses ${whole}, and no such store is declared.`, {
        exitStatus: 2,
        hint: name.startsWith("url:") ? "Declare it under systems." : "Declare the store as db_url.",
      });
    }
    return quote(value);
  });
}

export function uses(text: string, name: "port" | "db_path" | "db_url"): boolean {
  return [...text.matchAll(PLACEHOLDER)].some(([, used]) => used === name);
}

/** The value as one word of a shell command line. */
export function shellWord(value: string): string {
  return /^[\w@%+=:,./-]*$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

function valueOf(name: string, filling: Filling): string | undefined {
  switch (name) {
    case "port":
      return String(filling.port);
    case "lane":
      return String(filling.lane);
    case "db_url":
      return filling.dbUrl;
    case "db_path":
      return filling.dbPath;
    default:
      return filling.urls[name.slice("url:".length)];
  }
}
