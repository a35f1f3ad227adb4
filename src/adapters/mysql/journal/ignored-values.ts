import { RowSums } from "../../../stores/journal/multiset-mirror.ts";
import type { Table } from "../schema/catalog.ts";
import { fieldsOf, imageOfRow } from "./columns.ts";
import { quoteName } from "../connect/sql-text.ts";

export function judgedImage({ ignored }: Table, image: string): string {
  if (ignored.length === 0) return image;
  return fieldsOf(image)
    .filter((_, at) => !ignored.includes(at))
    .join();
}

export function judgedImageSql({ columns, ignored }: Table): string {
  return imageOfRow(
    columns.filter((_, at) => !ignored.includes(at)),
    ({ name }) => quoteName(name),
  );
}

/**
 * Returns the row image `image` with the ignored columns taken from `other`, an image of the same row. If `image` or `other` is `null` (the row does
 * not exist), returns `image` unchanged.
 */
export function withIgnoredOf<Image extends string | null>({ ignored }: Table, image: Image, other: string | null): Image {
  if (image === null || other === null || ignored.length === 0) return image;
  const values = fieldsOf(other);
  return fieldsOf(image)
    .map((value, at) => (ignored.includes(at) ? values[at]! : value))
    .join() as Image;
}

/**
 * Returns a function that removes ignored columns from a row image. Two images that differ only in ignored columns then become equal. The function
 * returns `undefined` for a table without ignored columns.
 */
export function tellingBy(tables: readonly Table[]): (table: number, image: string) => string | undefined {
  return (at, image) => {
    const table = tables[at];
    return table === undefined || table.ignored.length === 0 ? undefined : judgedImage(table, image);
  };
}

/**
 * Creates an empty {@link RowSums}, which counts how often each row was added or removed. Rows that differ only in ignored columns count as equal.
 */
export function sumsOf(tables: readonly Table[]): RowSums {
  return new RowSums(tellingBy(tables));
}
