import type { Database, Statement } from "better-sqlite3";
import type { RecordedExchange } from "../../model/results/result.ts";
import { record } from "./json-columns.ts";

/** Identifies the owner of exchanges (requests with their answers): an edge, a finding, a race or a step of a journey. */
export interface ExchangeOwner {
  readonly exploration?: number;
  readonly edge?: number;
  readonly finding?: number;
  readonly race?: number;
  readonly outcome?: number;
  readonly journey?: number;
  readonly step?: number;
}

export class ExchangeWriter {
  readonly #insert: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare(`INSERT INTO exchanges VALUES (${Array.from({ length: 18 }, () => "?").join(", ")})`);
  }

  add(owner: ExchangeOwner, exchanges: readonly RecordedExchange[]): void {
    exchanges.forEach((exchange, position) => {
      const { request, response, error, durationMs } = exchange;
      this.#insert.run(
        owner.exploration ?? null,
        owner.edge ?? null,
        owner.finding ?? null,
        owner.race ?? null,
        owner.outcome ?? null,
        owner.journey ?? null,
        owner.step ?? null,
        position,
        request.method,
        request.url,
        JSON.stringify(request.headers),
        request.body ?? null,
        response?.status ?? null,
        response === undefined ? null : JSON.stringify(response.headers),
        response?.body ?? null,
        error ?? null,
        durationMs,
        isExact(exchange) ? null : JSON.stringify(exchange),
      );
    });
  }
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Returns `true` if SQLite can store the texts of this exchange without changes. SQLite stores UTF-8, which cannot represent unpaired surrogates. */
function isExact({ request, response, error }: RecordedExchange): boolean {
  return [request.method, request.url, request.body, response?.body, error].every(
    (text) => text === undefined || !LONE_SURROGATE.test(text),
  );
}

/** The columns of the table `exchanges` that hold a request and its answer. */
export interface ExchangeRow {
  readonly method: string;
  readonly url: string;
  readonly request_headers: string;
  readonly request_body: string | null;
  readonly status: number | null;
  readonly response_headers: string | null;
  readonly response_body: string | null;
  readonly error: string | null;
  readonly duration_ms: number;
  readonly exact: string | null;
}

export function exchangesOf(rows: readonly ExchangeRow[]): readonly RecordedExchange[] {
  return rows.map((row) => (row.exact === null ? exchangeOf(row) : (record(row.exact) as unknown as RecordedExchange)));
}

function exchangeOf(row: ExchangeRow): RecordedExchange {
  const { method, url, request_body: sent, status, response_body: body, error, duration_ms: durationMs } = row;
  return {
    request: { method, url, headers: headersOf(row.request_headers), ...(sent === null ? {} : { body: sent }) },
    ...(status === null ? {} : { response: { status, headers: headersOf(row.response_headers ?? "{}"), body: body ?? "" } }),
    ...(error === null ? {} : { error }),
    durationMs,
  };
}

const headersOf = (text: string): Readonly<Record<string, string>> => record(text) as Readonly<Record<string, string>>;
