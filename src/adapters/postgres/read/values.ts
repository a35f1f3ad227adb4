import type { StoredValue } from "../../../model/stores/store-adapter.ts";

/** How the text of a column's value is shown to observers. */
export type ValueKind = "boolean" | "integer" | "float" | "bytes" | "time" | "text";

const KINDS: Readonly<Record<string, ValueKind>> = {
  bool: "boolean",
  int2: "integer",
  int4: "integer",
  int8: "integer",
  oid: "integer",
  numeric: "integer",
  float4: "float",
  float8: "float",
  bytea: "bytes",
  timestamp: "time",
  timestamptz: "time",
};

/** Returns the kind of a type of `pg_catalog`, domains resolved. */
export function kindOf(typeSchema: string, typeName: string): ValueKind {
  return typeSchema === "pg_catalog" ? (KINDS[typeName] ?? "text") : "text";
}

const INTEGER = /^-?\d+$/;
const TIME = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(?:\+00)?$/;

/**
 * Returns a value in its text form as observers see it: whole numbers as numbers, or `bigint` beyond 2^53; decimal fractions as text, since 1.5 and
 * 1.50 differ; floats as numbers; times in ISO 8601; everything else as text.
 */
export function shownValue(text: string | null, kind: ValueKind): StoredValue {
  if (text === null) return null;
  switch (kind) {
    case "boolean":
      return text === "t";
    case "integer":
      return INTEGER.test(text) ? integer(text) : text;
    case "float":
      return text === "Infinity" ? Infinity : text === "-Infinity" ? -Infinity : Number(text);
    case "bytes":
      return new Uint8Array(Buffer.from(text.slice(2), "hex"));
    case "time": {
      const parts = TIME.exec(text);
      // The result has no zone where the type has none; BC and infinity stay as they are.
      return parts === null ? text : `${parts[1]}T${parts[2]}${text.endsWith("+00") ? "Z" : ""}`;
    }
    case "text":
      return text;
  }
}

/** Returns a whole number; `bigint` where a number would not be exact. */
export function integer(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

interface TypeParsers {
  getTypeParser(oid: number, format?: string): (text: string) => unknown;
}

/** Parses as the driver does, but gives `bigint` columns as numbers where those are exact: `rows[0].count === 3` then means what it says. */
export function parseForUsers(types: TypeParsers): { getTypeParser: (oid: number, format?: string) => (text: string) => unknown } {
  const INT8 = 20;
  return { getTypeParser: (oid, format) => (oid === INT8 && format !== "binary" ? integer : types.getTypeParser(oid, format)) };
}
