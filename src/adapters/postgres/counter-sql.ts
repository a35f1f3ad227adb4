import { OURS, type Sequence } from "./catalog.ts";
import { quoteText } from "./sql-text.ts";

/**
 * Reads and writes all counters. What a sequence gave last is had without a query, which matters where there are many; only one that has given
 * nothing yet has to be looked at, since its first value may have been set. So the array has a place for each sequence, and, if one of them
 * has given nothing yet, a second place for each, of what such a one gives first.
 */
export function counterFunctions(sequences: readonly Sequence[]): string[] {
  const last = sequences.map(({ oid }) => `pg_sequence_last_value(${oid}::regclass)`).join(", ");
  const first = sequences.map(({ sqlName }) => `(select case when not is_called then last_value end from ${sqlName})`).join(", ");
  const read = `declare v bigint[] := array[${last}]::bigint[];
begin
  if array_position(v, null) is null then return v; end if;
  return v || array[${first}]::bigint[];
end`;
  const write = sequences.map(({ sqlName }, i) => {
    const [at, then] = [i + 1, sequences.length + i + 1];
    return `if now[${at}] is distinct from p_want[${at}] or now[${then}] is distinct from p_want[${then}] then
    perform setval(${quoteText(sqlName)}::regclass, coalesce(p_want[${at}], p_want[${then}]), p_want[${at}] is not null);
  end if;`;
  });
  return [
    `create function ${OURS}.counters() returns bigint[] language plpgsql as ${quoteText(read)}`,
    `create function ${OURS}.put_counters(p_want bigint[]) returns void language plpgsql as ${quoteText(
      `declare now bigint[] := ${OURS}.counters();
begin
  if now is not distinct from p_want then return; end if;
  ${write.join("\n  ")}
end`,
    )}`,
  ];
}

/** The text of that array as pairs of `last_value` and `is_called`, for {@link counterPairs}. */
export function pairsOf(counters: string, sequences: number): string {
  const values = counters.slice(1, -1).split(",");
  const pairs = Array.from({ length: sequences }, (_, i) => (values[i] === "NULL" ? `{${values[sequences + i]},0}` : `{${values[i]},1}`));
  return `{${pairs.join(",")}}`;
}
