import { Client } from "pg";

/** A schema of ours, which a lane's database has and its template has not. */
const OURS = /^_?seqqa/;

/**
 * Everything in a database as text: every row of every table, sorted, and every sequence with what it gives next. Made by nothing of
 * seqqa's, so that it can be held against it.
 */
export async function dumpDatabase(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    // One snapshot of all tables, whatever jobs are running.
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const { rows: relations } = await client.query<{ schema: string; name: string; kind: string; sql: string }>(
      `SELECT n.nspname AS schema, c.relname AS name, c.relkind AS kind, format('%I.%I', n.nspname, c.relname) AS sql
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'S') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
        ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C"`,
    );
    const lines: string[] = [];
    for (const { schema, name, kind, sql } of relations) {
      if (OURS.test(schema)) continue;
      const what = kind === "S" ? `row(last_value, is_called)::text` : `x::text`;
      const { rows } = await client.query<{ row: string }>(`SELECT ${what} AS row FROM ${sql} x`);
      lines.push(`${kind === "S" ? "sequence" : "table"} ${schema}.${name}: ${rows.length}`);
      lines.push(...rows.map(({ row }) => `  ${row}`).sort());
    }
    return `${lines.join("\n")}\n`;
  } finally {
    await client.end();
  }
}
