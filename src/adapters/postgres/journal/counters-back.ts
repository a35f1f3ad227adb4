import { pairsOf } from "./counter-sql.ts";
import { counterPairs } from "../read/observe.ts";
import { quoteText } from "../connect/sql-text.ts";
import { OWN_PATH, USER_PATH } from "../read/user-path.ts";
import { SEQUENCE_USERS } from "../schema/catalog.ts";

/**
 * Returns an SQL statement that restores sequences to their old values (from before the run), but never below a value that is in use.
 *
 * A sequence is restored in two cases:
 * - Its value is now below the old value.
 * - The values in use are known, and no other client has used the sequence after the run's last record. The values in use are known if all users of
 * the sequence are columns of integers that get its values unchanged, and no session or application keeps values in memory.
 *
 * `source`: a query for the name, old value and recorded value of each sequence (recorded value `null` if unknown). `table`: if this table does not
 * exist, the statement does nothing.
 */
export function countersBack(source: string, table?: string): string {
  return `do ${quoteText(`
declare r record; present record; owned record; is_up boolean; is_cycle boolean; is_cached boolean; is_behind boolean; used bigint; one bigint;
begin
  ${table === undefined ? "" : `if pg_catalog.to_regclass('${table}') is null then return; end if;`}
  perform pg_catalog.set_config('search_path', 'pg_catalog', true);
  for r in execute ${quoteText(source)} loop
    continue when r.sequence is null;
    execute format('select last_value, is_called from %s', r.sequence) into present;
    continue when present.last_value = r.last and present.is_called = r.called;
    select seqincrement > 0, seqcycle, seqcache > 1 or abs(seqincrement) > 1 into is_up, is_cycle, is_cached from pg_sequence where seqrelid = r.sequence;
    -- If a sequence is behind its old value, the target has reset it since it was last read. It would then give the same values again.
    is_behind := not is_cycle and (case when is_up then present.last_value < r.last else present.last_value > r.last end
      or (present.last_value = r.last and r.called and not present.is_called));
    continue when r.recorded_last is not null and not is_behind
      and (present.last_value, present.is_called) is distinct from (r.recorded_last, r.recorded_called);
    continue when not is_behind and (is_cached or not coalesce((select bool_and(u.is_known) from (${USERS}) u), false));
    used := null;
    for owned in select * from (${USERS}) u where u.is_known loop
      ${USER_PATH.replace("select", "perform")};
      -- Values beyond the present one were in use before the run, so the sequence would have reached them in any case.
      execute format('select %s(%I)::bigint from %s where %I %s $1 and %I %s $2 and (%I <> $1 or not $3)', case when is_up then 'max' else 'min' end,
        owned.attname, owned.name, owned.attname, case when is_up then '>=' else '<=' end, owned.attname, case when is_up then '<=' else '>=' end, owned.attname)
        into one using r.last, present.last_value, r.called;
      ${OWN_PATH};
      used := case when is_up then greatest(used, one) else least(used, one) end;
    end loop;
    perform setval(r.sequence, coalesce(used, r.last), r.called or used is not null);
  end loop;
end`)}`;
}

/** A query for the columns that use the sequence. `is_known`: `true` for a column of integers that stores the values of the sequence unchanged. */
const USERS = `
      select a.attrelid::regclass as name, a.attname, coalesce(x.plain and a.atttypid in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype), false) as is_known
        from (${SEQUENCE_USERS("r.sequence")}) x left join pg_attribute a on a.attrelid = x.rel and a.attnum = x.num`;

/**
 * Returns an SQL statement that restores the sequences of a journal, see {@link countersBack}. `oids`: the sequences. `counters`, `recorded`: the old
 * and the recorded values, as arrays in text form. `cached`: the highest seen values of the sequences that the run did not restore.
 */
export function putCountersBack(
  oids: readonly string[],
  counters: string,
  recorded: string,
  cached: readonly (readonly [oid: string, last: string])[],
): string {
  const pairs = (text: string): ReturnType<typeof counterPairs> => counterPairs(pairsOf(text, oids.length));
  const [before, then] = [pairs(counters), pairs(recorded)];
  const rows = oids.map((oid, i) => {
    const [[last, called], [recordedLast, recordedCalled]] = [before[i]!, then[i]!];
    return `(${oid}::oid, ${last}::bigint, ${called}, ${recordedLast}::bigint, ${recordedCalled})`;
  });
  rows.push(...cached.map(([oid, last]) => `(${oid}::oid, ${last}::bigint, true, null::bigint, null::boolean)`));
  if (rows.length === 0) return "select";
  return countersBack(`select c.oid::regclass as sequence, v.last, v.called, v.recorded_last, v.recorded_called
    from (values ${rows.join(", ")}) v(oid, last, called, recorded_last, recorded_called) join pg_class c on c.oid = v.oid`);
}
