import type { ApiDescription, Operation } from "../operations/description.ts";
import { compare, matches, segmentsOf, templateOf, type Template } from "./template.ts";

interface Entry {
  readonly operation: Operation;
  readonly template: Template;
}

/** Finds the operation of a request. */
export class OperationIndex {
  /** By method and number of segments, those that say most first. */
  readonly #entries = new Map<string, Entry[]>();

  /** @param base Where the target has what the description has at `/`, beside the paths of its servers. */
  constructor(description: ApiDescription, base = "") {
    for (const operation of description.operations) {
      const servers = operation.servers ?? description.servers;
      // The path alone, too: a target under test may be without what stands before it in production.
      for (const prefix of new Set([base, ...servers.map(pathOf), ""])) this.#add(operation, prefix.replace(/\/+$/, ""));
    }
    for (const entries of this.#entries.values()) entries.sort((a, b) => compare(a.template, b.template));
  }

  /** @param url Absolute, or a path. `undefined`: the description has no such call. */
  find(method: string, url: string): Operation | undefined {
    const parts = segmentsOf(url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, ""));
    return this.#entries.get(keyOf(method, parts.length))?.find(({ template }) => matches(template, parts))?.operation;
  }

  #add(operation: Operation, prefix: string): void {
    const template = templateOf(prefix + operation.path);
    const key = keyOf(operation.method, template.segments.length);
    const entries = this.#entries.get(key);
    if (entries === undefined) this.#entries.set(key, [{ operation, template }]);
    else entries.push({ operation, template });
  }
}

function keyOf(method: string, segments: number): string {
  return `${method.toLowerCase()} ${segments}`;
}

/** Of a server's URL, which may have variables in it that are filled in nowhere. */
function pathOf(server: string): string {
  const path = server.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "");
  return path === "" || path.startsWith("/") ? path : `/${path}`;
}
