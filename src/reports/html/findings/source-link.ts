import type { SourcePlace } from "../../document/source-place.ts";
import { element } from "../../junit/xml.ts";
import { text } from "../text/safe-text.ts";

/**
 * Matches URLs that open an editor, such as `vscode://...`. Schemes that a browser handles itself are refused, because the data may come from a run
 * log of somebody else.
 */
const EDITOR = /^(?!(?:javascript|data|vbscript|blob|file|about):)[a-z][a-z\d+.-]*:\/\/[^\s"'<>]*$/i;
const REPOSITORY = /^https:\/\/[\w.-]+(?::\d+)?\/[\w.-]+\/[\w.-]+$/;
const COMMIT = /^[0-9a-f]{40,64}$/;

/** Returns HTML for a location in the user's code, such as `shop.explore.ts:12:5`, with links to an editor and to GitHub if these are configured. */
export function sourceLink(where: string, place: SourcePlace | undefined): string {
  const [, file, line, column] = /^(.+?):(\d+)(?::(\d+))?$/s.exec(where) ?? [];
  if (place === undefined || file === undefined || line === undefined) return text(where);
  const editor = editorUrl(place, file, { line, column: column ?? "1" });
  const page = pageUrl(place, file, line);
  return [
    editor === undefined ? text(where) : element("a", { href: editor, title: "Open in the editor" }, text(where)),
    ...(page === undefined ? [] : [` ${element("a", { href: page, rel: "noreferrer" }, "on GitHub")}`]),
  ].join("");
}

function editorUrl(
  { editor, folder }: SourcePlace,
  file: string,
  at: { readonly line: string; readonly column: string },
): string | undefined {
  if (editor === undefined || folder === undefined || !EDITOR.test(editor.replaceAll(/\{(?:file|line|column)\}/g, ""))) return undefined;
  const path = (isAbsolute(file) ? file : `${folder}/${file}`).replaceAll("\\", "/");
  const shown: Readonly<Record<string, string>> = { file: escapedPath(path.startsWith("/") ? path : `/${path}`), ...at };
  return editor.replaceAll(/\{(file|line|column)\}/g, (_, name: string) => shown[name]!);
}

function pageUrl({ folder, repository }: SourcePlace, file: string, line: string): string | undefined {
  if (repository === undefined || !REPOSITORY.test(repository.url) || !COMMIT.test(repository.commit)) return undefined;
  if (isAbsolute(file) || (folder === undefined && file.includes(".."))) return undefined;
  const path = [repository.path, file].filter((part) => part !== "").join("/");
  return path.split("/").includes("..") ? undefined : `${repository.url}/blob/${repository.commit}/${escapedPath(path)}#L${line}`;
}

const isAbsolute = (file: string): boolean => /^(?:[/\\]|[a-z]:[/\\])/i.test(file);

/** Encodes a path for a URL. Lone surrogates are replaced first, because `encodeURIComponent` throws an error for them. */
const escapedPath = (path: string): string =>
  Buffer.from(path)
    .toString()
    .split("/")
    .map((part) => encodeURIComponent(part).replaceAll("%3A", ":"))
    .join("/");
