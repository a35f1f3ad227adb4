import { OURS, type Table } from "../schema/catalog.ts";
import { quoteName, quoteText } from "../connect/sql-text.ts";

/** Raised by the functions below. */
export const DDL_STATE = "SQ001";
export const INCOHERENT_STATE = "SQ002";

export function putFunction(table: Table): string {
  return `${OURS}.put_${table.oid}`;
}

/**
 * Changes one table: takes out rows, then puts rows in, so that no order of keys and unique values matters. Rows are whole, in text form, and
 * one that is to go must be there exactly like that: what was changed behind the triggers' back is never overwritten in silence.
 */
export function createPutFunction(table: Table): string {
  const body = table.key.length > 0 ? keyedBody(table) : keylessBody(table);
  const returns = table.key.length > 0 ? "void" : "table(img text, place tid)";
  return `create function ${putFunction(table)}(p_del text[], p_ins text[], p_places tid[]) returns ${returns} language plpgsql as ${quoteText(body)}`;
}

function keyedBody(table: Table): string {
  const { sqlName } = table;
  return `#variable_conflict use_variable
declare seqqa_n int; begin
  if p_del is not null then
    delete from only ${sqlName} as seqqa_t using (select x as img, x::${sqlName} as r from unnest(p_del) x offset 0) seqqa_k
     where ${keyMatch(table)} and ${asText("seqqa_t")} = seqqa_k.img collate "C";
    get diagnostics seqqa_n = row_count;
    ${check(table, "seqqa_n <> cardinality(p_del)")}
  end if;
  if p_ins is not null then ${insert(table)}; end if;
end`;
}

/** Without a key: first where the rows were seen last, then anywhere; equal rows are told apart by nothing but their number. */
function keylessBody(table: Table): string {
  const { sqlName } = table;
  return `#variable_conflict use_variable
declare seqqa_d text; seqqa_c tid; seqqa_left text[]; seqqa_n int; begin
  foreach seqqa_d in array coalesce(p_del, '{}') loop
    seqqa_c := null;
    if p_places is not null then
      select seqqa_t.ctid into seqqa_c from only ${sqlName} as seqqa_t
       where seqqa_t.ctid = any(p_places) and ${asText("seqqa_t")} = seqqa_d collate "C" limit 1;
    end if;
    if seqqa_c is null then seqqa_left := array_append(seqqa_left, seqqa_d);
    else delete from only ${sqlName} as seqqa_t where seqqa_t.ctid = seqqa_c; end if;
  end loop;
  if seqqa_left is not null then
    delete from only ${sqlName} where ctid in (
      select f.place from (
        select seqqa_t.ctid as place, ${asText("seqqa_t")} as img, row_number() over (partition by ${asText("seqqa_t")} collate "C") as nth
          from only ${sqlName} as seqqa_t where ${asText("seqqa_t")} = any(seqqa_left)) f
       join (select l.img, count(*) as n from unnest(seqqa_left) l(img) group by l.img) w on w.img = f.img collate "C" and f.nth <= w.n);
    get diagnostics seqqa_n = row_count;
    ${check(table, "seqqa_n <> cardinality(seqqa_left)")}
  end if;
  if p_ins is not null then
    return query ${insert(table)} returning ${asText("seqqa_t")}, seqqa_t.ctid;
  end if;
end`;
}

/** Compares the key of a table's row with that of an image. */
export function keyMatch({ key }: Table): string {
  return key.map(({ name, operator }) => `seqqa_t.${quoteName(name)} ${operator} (seqqa_k.r).${quoteName(name)}`).join(" and ");
}

/** A whole row: a column of the alias's name would be taken for it, hence the star. */
export function asText(alias: string): string {
  return `(${alias}.*)::text`;
}

/** The columns that hold something of their own. */
export function storedColumns({ columns }: Table): string[] {
  return columns.filter(({ generated }) => !generated).map(({ name }) => name);
}

/** `source`: rows `r` under the alias seqqa_k. */
export function insertInto(table: Table, source: string): string {
  const stored = storedColumns(table).map(quoteName);
  const values = stored.map((name) => `(seqqa_k.r).${name}`).join(", ");
  const into = `insert into ${table.sqlName} as seqqa_t`;
  return stored.length === 0
    ? // A table without columns takes no list of them.
      `${into} select from ${source}`
    : `${into} (${stored.join(", ")}) overriding system value select ${values} from ${source}`;
}

function insert(table: Table): string {
  return insertInto(table, `(select x::${table.sqlName} as r from unnest(p_ins) x offset 0) seqqa_k`);
}

function check(table: Table, wrong: string): string {
  return `if ${wrong} then raise exception using errcode = '${INCOHERENT_STATE}', message = ${quoteText(`a row of ${table.fullName} that is to be taken out is not there`)}; end if;`;
}
