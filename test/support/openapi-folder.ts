import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { atEnd } from "./at-end.ts";

/** A folder with these files, removed with the tests of the file; what is no text is written as JSON. Returns its path. */
export function folder(files: Readonly<Record<string, unknown>>): string {
  const path = mkdtempSync(join(tmpdir(), "seqqa-openapi-"));
  atEnd(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), typeof content === "string" || Buffer.isBuffer(content) ? content : JSON.stringify(content));
  }
  return path;
}

/** A description with an operation whose answer has this schema. */
export function withSchema(schema: unknown, more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  const responses = { "200": { description: "", content: { "application/json": { schema } } } };
  return { openapi: "3.1.0", info: { title: "t", version: "1" }, paths: { "/a": { get: { responses } } }, ...more };
}
