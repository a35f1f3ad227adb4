import { RowSums } from "../../../stores/multiset-mirror.ts";
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
 * Returns a row image whose ignored columns have the values of `other`, an image of the same row. If one image is `null` (no such row), returns
 * `image`.
 */
export function withIgnoredOf<Image extends string | null>({ ignored }: Table, image: Image, other: string | null): Image {
  if (image === null || other === null || ignored.length === 0) return image;
  const values = fieldsOf(other);
  return fieldsOf(image)
    .map((value, at) => (ignored.includes(at) ? values[at]! : value))
    .join() as Image;
}

/** Returns a function for the identity of a row: its image without ignored columns, or `undefined` if the table ignores no column. */
export function tellingBy(tables: readonly Table[]): (table: number, image: string) => string | undefined {
  return (at, image) => {
    const table = tables[at];
    return table === undefined || table.ignored.length === 0 ? undefined : judgedImage(table, image);
  };
}

/** Returns an empty collection of row changes that compares rows without their ignored columns. */
export function sumsOf(tables: readonly Table[]): RowSums {
  return new RowSums(tellingBy(tables));
}
