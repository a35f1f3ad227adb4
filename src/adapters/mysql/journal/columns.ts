import type { StoredValue } from "../../../model/stores/store-adapter.ts";
import { textIn } from "../schema/charsets.ts";
import { quoteName } from "../connect/sql-text.ts";

export type ColumnKind = "integer" | "decimal" | "float" | "text" | "json" | "bytes" | "time" | "instant" | "choice" | "plain";

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly charset: string;
}

const KINDS: Readonly<Record<string, ColumnKind>> = {
  ...of("integer", "tinyint smallint mediumint int bigint year bit"),
  ...of("decimal", "decimal"),
  ...of("float", "float double"),
  ...of("text", "char varchar tinytext text mediumtext longtext"),
  ...of("json", "json"),
  ...of("bytes", "binary varbinary tinyblob blob mediumblob longblob"),
  // These types are compared as the bytes that the server stores, which include the spatial reference system.
  ...of("bytes", "geometry point linestring polygon multipoint multilinestring multipolygon geometrycollection geomcollection"),
  ...of("time", "date datetime time"),
  ...of("instant", "timestamp"),
  ...of("choice", "enum set"),
  ...of("plain", "uuid inet4 inet6"),
};

function of(kind: ColumnKind, types: string): Record<string, ColumnKind> {
  return Object.fromEntries(types.split(" ").map((type) => [type, kind]));
}

export function kindOf(dataType: string): ColumnKind | undefined {
  return KINDS[dataType.toLowerCase()];
}

/**
 * Returns an SQL expression that converts a value to text without loss. The text contains no comma, and is the same in every session, whatever its
 * time zone, `sql_mode` and character set. `value` is an SQL expression for the value of the column, such as `NEW.x`.
 */
export function imageOfValue({ kind }: Column, value: string): string {
  switch (kind) {
    case "integer":
    case "decimal":
      // Adding 0 removes the leading zeros of ZEROFILL columns and turns BIT values into numbers.
      return `ifnull(${value}+0,'-')`;
    case "float":
      // Subtracting 0e0 keeps all digits and the sign of -0. Without 0e0, the text of a FLOAT has only 6 digits.
      return `ifnull(${value}-0e0,'-')`;
    case "time":
      return `ifnull(concat(${value},''),'-')`;
    case "instant":
      // Seconds since 1970 do not depend on the session's time zone. For the zero time, `unix_timestamp` returns 0 in a query but NULL in a trigger.
      return `ifnull(nullif(unix_timestamp(${value}),0),if(isnull(concat(${value},'')),'-','0'))`;
    case "choice":
      // An ENUM value is stored as a number. The number distinguishes the empty error value from a member ''. A SET value has up to 64 bits, which
      // only an unsigned number holds.
      return `ifnull(concat(cast(${value} as unsigned),':',hex(${value})),'-')`;
    case "json":
    case "plain":
      return `ifnull(hex(convert(${value} using utf8mb4)),'-')`;
    case "text":
    case "bytes":
      return `ifnull(hex(${value}),'-')`;
  }
}

export function imageOfRow(columns: readonly Column[], of: (column: Column) => string): string {
  return `concat_ws(',',${columns.map((column) => imageOfValue(column, of(column))).join(",")})`;
}

export function fieldsOf(image: string): string[] {
  return image.split(",");
}

/** Returns the SQL literal for a value in a row image. The literal is valid in sessions with the settings `OUR_SETTINGS`. */
export function literal({ kind, charset }: Column, image: string): string {
  if (image === "-") return "NULL";
  switch (kind) {
    case "integer":
    case "decimal":
      return /^-?[\d.]+$/.test(image) ? image : quoted(image);
    case "choice":
      // In comparisons, the server interprets the 64 bits of a SET value as a signed number.
      return BigInt.asIntN(64, BigInt(image.slice(0, image.indexOf(":")))).toString();
    case "float":
    case "time":
      return quoted(image);
    case "instant":
      return quoted(instantText(image, " "));
    case "text":
      return image === "" ? "''" : `_${charset} x'${hex(image)}'`;
    case "json":
    case "plain":
      return `_utf8mb4 x'${hex(image)}'`;
    case "bytes":
      return `x'${hex(image)}'`;
  }
}

/**
 * Returns an SQL condition that finds rows by a value from a row image and can use an index. The condition may also match other rows, e.g. with
 * another spelling of the value.
 */
export function condition(column: Column, image: string, alias = ""): string {
  return `${alias}${quoteName(column.name)} <=> ${literal(column, image)}`;
}

function hex(image: string): string {
  if (!/^[\dA-F]*$/.test(image))
    throw new TypeError("A value that seqqa saved in its log of changed rows is damaged: it is not hexadecimal.");
  return image;
}

function quoted(image: string): string {
  if (!/^[\w .:+-]*$/.test(image))
    throw new TypeError("A value that seqqa saved in its log of changed rows is damaged: it contains invalid characters.");
  return `'${image}'`;
}

/** Formats a number of seconds since 1970 as a UTC time. 0 is MySQL's zero time. */
function instantText(image: string, separator: string): string {
  const [seconds = "0", fraction] = image.split(".");
  const dot = fraction === undefined ? "" : `.${fraction}`;
  if (Number(image) === 0) return `0000-00-00${separator}00:00:00${dot}`;
  return new Date(Number(seconds) * 1000).toISOString().slice(0, 19).replace("T", separator) + dot;
}

/** Converts a value in a row image to the value that a state shows. */
export function shownValue({ kind, charset }: Column, image: string): StoredValue {
  if (image === "-") return null;
  switch (kind) {
    case "integer":
      return integer(image);
    case "float":
      return Number(image);
    case "decimal":
      // Decimal fractions stay text, because 1.5 and 1.50 differ.
      return /^-?\d+$/.test(image) ? integer(image) : image;
    case "time":
      return image.replace(/^(\d{4}-\d\d-\d\d) /, "$1T");
    case "instant":
      return `${instantText(image, "T")}Z`;
    case "choice":
      return textIn(charset, bytesOf(image.slice(image.indexOf(":") + 1)));
    case "json":
    case "plain":
      // MariaDB keeps the text of JSON, and queries can show its blanks, repeated keys and the sign of -0.
      return utf8(image);
    case "text":
      return textIn(charset, bytesOf(image));
    case "bytes":
      return bytesOf(image);
  }
}

function bytesOf(image: string): Uint8Array {
  return new Uint8Array(Buffer.from(image, "hex"));
}

function utf8(image: string): string {
  return Buffer.from(image, "hex").toString("utf8");
}

export function integer(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}
