import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { packageRoot } from "../../model/code-root.ts";

/** Returns the page of `seqqa ui`, whose script asks the server for everything, and the policy that allows nothing but its own parts. */
export function uiPage(): { readonly html: string; readonly policy: string } {
  const read = (name: string): string => readFileSync(new URL(`dist/reports/html/${name}`, packageRoot), "utf8");
  const [script, style] = [read("ui.js"), read("ui.css")];
  const hash = (content: string): string => `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>seqqa</title>`;
  return {
    html: `<!doctype html>\n<html lang="en"><head>${head}<style>${style}</style></head><body><script id="app">${script}</script></body></html>\n`,
    policy,
  };
}
