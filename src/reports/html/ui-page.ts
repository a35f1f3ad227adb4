import { reportAssets } from "./report-assets.ts";

/** Returns the HTML of the page of `seqqa ui` and its content security policy. The page's script requests all data from the server. */
export function uiPage(): { readonly html: string; readonly policy: string } {
  const { script, style, policy } = reportAssets("ui");
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>seqqa</title>`;
  return {
    html: `<!doctype html>\n<html lang="en"><head>${head}<style>${style}</style></head><body><script id="app">${script}</script></body></html>\n`,
    policy: `${policy}; connect-src 'self'; frame-ancestors 'none'`,
  };
}
