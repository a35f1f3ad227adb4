import type { ScaffoldFile } from "./scaffold-file.ts";

/** Returns the generated `support.ts`, with helper functions that are the same for every API. */
export function supportFile(): ScaffoldFile {
  return { path: "support.ts", isImported: true, text: TEXT };
}

const TEXT = `import type { ApiResponse } from "seqqa";

declare const process: { readonly env: Readonly<Record<string, string | undefined>> };

/**
 * The text or number at a place of the JSON body; \`undefined\` if there is none. The rules judge whether the answer is right.
 * An integer above 2^53 is a text with all its digits, because a number would lose the last ones.
 */
export function read<T extends string | number>(
  response: ApiResponse,
  ...path: readonly (string | number)[]
): T | undefined {
  let value: unknown;
  try {
    value = /\\d{16}/.test(response.text) ? JSON.parse(withExactIntegers(response.text)) : response.json();
  } catch {
    return undefined;
  }
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[name];
  }
  return typeof value === "string" || typeof value === "number" ? (value as T) : undefined;
}

function withExactIntegers(json: string): string {
  return json.replace(/"(?:[^"\\\\]|\\\\.)*"|(?<![\\w.+-])-?\\d{16,}(?![\\w.])/g, (part) =>
    part.startsWith('"') || Number.isSafeInteger(Number(part)) ? part : \`"\${part}"\`,
  );
}

/** The last part of the URL in the header \`Location\`, e.g. \`7\` of \`/orders/7\`. */
export function lastSegment<T extends string | number>(response: ApiResponse): T | undefined {
  const [path = ""] = (response.headers["location"] ?? "").split(/[?#]/);
  const last = path.split("/").findLast((segment) => segment !== "");
  return last === undefined ? undefined : (decoded(last) as T);
}

/** Returns an environment variable, or \`otherwise\` if the variable is not set. */
export function fromEnvironment(name: string, otherwise: string): string {
  return process.env[name] ?? otherwise;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
`;
