import type { StoredValue } from "../../../model/stores/store-adapter.ts";

/** The kind of value that states show for a column. The kind depends on the type of the column. */
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

/** Returns the kind of value that states show for a type. For a domain, pass its base type. */
export function kindOf(typeSchema: string, typeName: string): ValueKind {
  return typeSchema === "pg_catalog" ? (KINDS[typeName] ?? "text") : "text";
}

const INTEGER = /^-?\d+$/;
const TIME = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(?:\+00)?$/;

/**
 * Converts the text of a value to the value that a state shows. Integers become numbers, or `bigint` beyond 2^53. Decimal fractions stay text,
 * because 1.5 and 1.50 differ. Floats become numbers. Times become ISO 8601 text. All other values stay text.
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
      // Only a time with time zone gets a Z. BC dates and infinity stay unchanged.
      return parts === null ? text : `${parts[1]}T${parts[2]}${text.endsWith("+00") ? "Z" : ""}`;
    }
    case "text":
      return text;
  }
}

export function integer(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

interface TypeParsers {
  getTypeParser(oid: number, format?: string): (text: string) => unknown;
}

/**
 * Returns the driver's parsers for column values, except for `bigint`. Values of type `bigint` become numbers if they are at most 2^53, so that
 * `rows[0].count === 3` works.
 */
export function parseForUsers(types: TypeParsers): { getTypeParser: (oid: number, format?: string) => (text: string) => unknown } {
  const INT8 = 20;
  return { getTypeParser: (oid, format) => (oid === INT8 && format !== "binary" ? integer : types.getTypeParser(oid, format)) };
}
