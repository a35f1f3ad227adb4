import { RowSums } from "../../../stores/multiset-mirror.ts";
import type { Table } from "../schema/catalog.ts";
import { fieldsOf, imageOfRow } from "./columns.ts";
import { quoteName } from "../connect/sql-text.ts";

/** Returns the image of a row without ignored columns. */
export function judgedImage({ ignored }: Table, image: string): string {
  if (ignored.length === 0) return image;
  return fieldsOf(image)
    .filter((_, at) => !ignored.includes(at))
    .join();
}

/** Returns an SQL expression for the result of {@link judgedImage}. */
export function judgedImageSql({ columns, ignored }: Table): string {
  return imageOfRow(
    columns.filter((_, at) => !ignored.includes(at)),
    ({ name }) => quoteName(name),
  );
}

/** Returns an image with the values that another image of the same row has in ignored columns; `null`: there is no such row. */
export function withIgnoredOf<Image extends string | null>({ ignored }: Table, image: Image, other: string | null): Image {
  if (image === null || other === null || ignored.length === 0) return image;
  const values = fieldsOf(other);
  return fieldsOf(image)
    .map((value, at) => (ignored.includes(at) ? values[at]! : value))
    .join() as Image;
}

/** Distinguishes rows of tables by all but ignored columns. */
export function tellingBy(tables: readonly Table[]): (table: number, image: string) => string | undefined {
  return (at, image) => {
    const table = tables[at];
    return table === undefined || table.ignored.length === 0 ? undefined : judgedImage(table, image);
  };
}

/** Returns an empty sum of changes to rows of tables. */
export function sumsOf(tables: readonly Table[]): RowSums {
  return new RowSums(tellingBy(tables));
}
