import { entriesOf, isPlain, listOf, own, textOf, type Plain } from "../parse/plain.ts";
import { quoted } from "../problem.ts";
import type { Warnings } from "../warnings.ts";

/**
 * Returns the server URLs of an OpenAPI document.
 * @param from The URL from which the document was read.
 */
export function serversOf(document: Plain, from: URL | undefined, warnings: Warnings): readonly string[] {
  const urls = serverUrls(own(document, "servers"));
  // Without `servers`, OpenAPI's default is the URL `/`, relative to the URL of the description.
  const written = urls.length > 0 || from === undefined ? urls : ["/"];
  return written.map((url) => {
    if (from === undefined || !URL.canParse(url, from.href)) {
      if (from !== undefined) warnings.add("/servers", `The server ${quoted(url)} is not a URL`);
      return url;
    }
    return new URL(url, from).href;
  });
}

/** Returns the server URLs as the author wrote them, with default values for variables. */
export function serverUrls(servers: unknown): readonly string[] {
  const urls = listOf(servers)
    .filter(isPlain)
    .flatMap((server) => {
      const url = textOf(own(server, "url"))?.trim();
      return url === undefined || url === "" ? [] : [filled(url, own(server, "variables"))];
    });
  return [...new Set(urls)];
}

function filled(url: string, variables: unknown): string {
  const values = new Map(
    entriesOf(variables).flatMap(([name, variable]) => (isPlain(variable) ? [[name, defaultOf(variable)] as const] : [])),
  );
  return url.replaceAll(/\{([^{}]*)\}/g, (all, name: string) => values.get(name) ?? all);
}

function defaultOf(variable: Plain): string | undefined {
  return textOf(own(variable, "default")) ?? textOf(listOf(own(variable, "enum"))[0]);
}
