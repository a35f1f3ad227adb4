const MOST = 5000;

/**
 * Remembers the `ctid`s (physical positions) of rows in tables without a key. Without a `ctid`, deleting such a row needs a scan of the whole table.
 */
export class Places {
  readonly #tables = new Map<number, Map<string, string[]>>();

  saw(table: number, row: string, place: string): void {
    let rows = this.#tables.get(table);
    if (rows === undefined) this.#tables.set(table, (rows = new Map()));
    const places = rows.get(row);
    if (places === undefined) {
      // Forget the oldest entry: restores mostly undo the newest rows.
      if (rows.size >= MOST) rows.delete(rows.keys().next().value as string);
      rows.set(row, [place]);
    } else {
      if (places.length >= 8) places.shift();
      places.push(place);
    }
  }

  of(table: number, row: string): readonly string[] {
    return this.#tables.get(table)?.get(row) ?? [];
  }
}
