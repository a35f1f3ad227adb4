const MOST = 5000;

/**
 * The places (`ctid`) where rows without a key were seen last. They are only a hint, without which a whole table is searched for a row to be removed.
 */
export class Places {
  readonly #tables = new Map<number, Map<string, string[]>>();

  saw(table: number, row: string, place: string): void {
    let rows = this.#tables.get(table);
    if (rows === undefined) this.#tables.set(table, (rows = new Map()));
    const places = rows.get(row);
    if (places === undefined) {
      // The oldest go first: the latest writes are the ones that will be undone.
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
