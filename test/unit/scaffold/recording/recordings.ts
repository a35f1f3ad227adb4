import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scaffoldRecording, type Scaffolded } from "../../../../src/scaffold/index.ts";
import { atEnd } from "../../../support/at-end.ts";

/** A request of an archive, with its answer. */
export interface Sent {
  readonly method?: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: string;
  readonly status?: number;
  readonly answer?: unknown;
  readonly answerHeaders?: Readonly<Record<string, string>>;
  readonly type?: string;
}

const listed = (headers: Readonly<Record<string, string>>) => Object.entries(headers).map(([name, value]) => ({ name, value }));

export function har(sent: readonly Sent[]): object {
  const entries = sent.map((one, index) => ({
    startedDateTime: new Date(Date.parse("2026-11-21T08:30:20Z") + index).toISOString(),
    request: {
      method: one.method ?? (one.json === undefined && one.form === undefined ? "GET" : "POST"),
      url: one.url,
      headers: listed(one.headers ?? {}),
      ...(one.json === undefined ? {} : { postData: { mimeType: "application/json", text: JSON.stringify(one.json) } }),
      ...(one.form === undefined ? {} : { postData: { mimeType: "application/x-www-form-urlencoded", text: one.form } }),
    },
    response: {
      status: one.status ?? 200,
      headers: listed(one.answerHeaders ?? {}),
      content: { mimeType: one.type ?? "application/json", text: one.answer === undefined ? "" : JSON.stringify(one.answer) },
    },
  }));
  return { log: { version: "1.2", creator: { name: "test", version: "1" }, entries } };
}

export interface Generated extends Scaffolded {
  readonly folder: string;
  /** The generated files. */
  readonly texts: ReadonlyMap<string, string>;
  /** All of them, one after another. */
  readonly all: string;
}

/** Writes a recording into a file, and scaffolds it. */
export async function generated(from: "har" | "postman", document: unknown): Promise<Generated> {
  const cwd = mkdtempSync(join(tmpdir(), "seqqa-recording-"));
  atEnd(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, "shop.json"), typeof document === "string" ? document : JSON.stringify(document));
  const done = await scaffoldRecording(from, { source: "shop.json", cwd, out: "qa", force: false, version: "0.6.4" });
  const folder = join(cwd, "qa");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const texts = new Map(
    files.map(({ parentPath, name }) => [join(parentPath, name).slice(folder.length + 1), readFileSync(join(parentPath, name), "utf8")]),
  );
  return { ...done, folder, texts, all: [...texts.values()].join("\n") };
}
