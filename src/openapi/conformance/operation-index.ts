import type { ApiDescription, Operation } from "../operations/description.ts";
import { compare, matches, segmentsOf, templateOf, type Template } from "./template.ts";

interface Entry {
  readonly operation: Operation;
  readonly template: Template;
}

/** Finds the operation of a request. */
export class OperationIndex {
  /** The operations by method and number of segments, the most specific first. */
  readonly #entries = new Map<string, Entry[]>();

  /** @param base The path at which the target serves what the description has at `/`, in addition to the paths of its servers. */
  constructor(description: ApiDescription, base = "") {
    for (const operation of description.operations) {
      const servers = operation.servers ?? description.servers;
      // The path is also tried alone: a target under test may lack the prefix that it has in production.
      for (const prefix of new Set([base, ...servers.map(pathOf), ""])) this.#add(operation, prefix.replace(/\/+$/, ""));
    }
    for (const entries of this.#entries.values()) entries.sort((a, b) => compare(a.template, b.template));
  }

  /** Returns the operation of a call; `undefined` if the description has no such call. @param url Absolute, or a path. */
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

/** Returns the path of a server's URL, which may have variables without a value. */
function pathOf(server: string): string {
  const path = server.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "");
  return path === "" || path.startsWith("/") ? path : `/${path}`;
}
