import { OURS, type Sequence } from "../schema/catalog.ts";
import { quoteText } from "../connect/sql-text.ts";

export interface CounterNames {
  readonly counters: string;
  readonly put: string;
  /** `true` if the functions run with the rights of their owner (SECURITY DEFINER). */
  readonly definer?: boolean | undefined;
}

/**
 * Returns CREATE FUNCTION statements for two functions that read and write all sequences as one array. The array contains the last value of each
 * sequence, or NULL if the sequence has generated no value. The server returns a last value by a function call, without a query. If an element is
 * NULL, the array has a second half with the first value of each unused sequence, because `setval` may have changed this first value.
 */
export function counterFunctions(sequences: readonly Sequence[], { counters, put, definer = false }: CounterNames): string[] {
  const language = `language plpgsql${definer ? " security definer" : ""}`;
  const last = sequences.map(({ oid }) => `pg_catalog.pg_sequence_last_value(${oid}::regclass)`).join(", ");
  const first = sequences.map(({ sqlName }) => `(select case when not is_called then last_value end from ${sqlName})`).join(", ");
  const read = `declare v bigint[] := array[${last}]::bigint[];
begin
  if pg_catalog.array_position(v, null) is null then return v; end if;
  return v || array[${first}]::bigint[];
end`;
  const write = sequences.map(({ sqlName }, i) => {
    const [at, then] = [i + 1, sequences.length + i + 1];
    return `if now[${at}] is distinct from p_want[${at}] or now[${then}] is distinct from p_want[${then}] then
    perform pg_catalog.setval(${quoteText(sqlName)}::regclass, coalesce(p_want[${at}], p_want[${then}]), p_want[${at}] is not null);
  end if;`;
  });
  return [
    `create function ${counters}() returns bigint[] ${language} as ${quoteText(read)}`,
    `create function ${put}(p_want bigint[]) returns void ${language} as ${quoteText(
      `declare now bigint[] := ${counters}();
begin
  if now is not distinct from p_want then return; end if;
  ${write.join("\n  ")}
end`,
    )}`,
  ];
}

/**
 * The name of a table with the highest known value of each sequence that is not restored (see {@link Sequence.cached}). For a descending sequence,
 * the lowest value. NULL: the sequence has generated no value.
 */
export const CACHED: string = `${OURS}.cached`;

/**
 * PL/pgSQL statements for the functions `read` and `put`. `NOTE_CACHED` records the values of the sequences in {@link CACHED}. If the target has
 * reset such a sequence, `RAISE_CACHED` sets the sequence to its recorded value.
 */
export const NOTE_CACHED: string = `update ${CACHED} c set last = pg_sequence_last_value(c.sequence)
   where pg_sequence_last_value(c.sequence) is not null
     and (c.last is null or case when c.up then pg_sequence_last_value(c.sequence) > c.last else pg_sequence_last_value(c.sequence) < c.last end);`;
export const RAISE_CACHED: string = `perform setval(c.sequence, c.last) from ${CACHED} c
   where c.last is not null and (pg_sequence_last_value(c.sequence) is null
     or case when c.up then pg_sequence_last_value(c.sequence) < c.last else pg_sequence_last_value(c.sequence) > c.last end);`;

/**
 * Returns the statements that create the table {@link CACHED} for these sequences. Sequences with CYCLE are left out, because their values may
 * legitimately start again.
 */
export function cachedStatements(sequences: readonly Sequence[]): string[] {
  const oids = sequences.map(({ oid }) => oid).join(", ");
  return [
    `create table ${CACHED} as select seqrelid::regclass as sequence, pg_sequence_last_value(seqrelid::regclass) as last, seqincrement > 0 as up
       from pg_sequence where seqrelid = any(array[${oids}]::oid[]) and not seqcycle`,
  ];
}

/** Converts the array of sequence values to the text that `counterPairs` parses: a pair of `last_value` and `is_called` for each sequence. */
export function pairsOf(counters: string, sequences: number): string {
  const values = counters.slice(1, -1).split(",");
  const pairs = Array.from({ length: sequences }, (_, i) => (values[i] === "NULL" ? `{${values[sequences + i]},0}` : `{${values[i]},1}`));
  return `{${pairs.join(",")}}`;
}
