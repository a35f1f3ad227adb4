export function quoteName(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}

/** Returns an SQL string literal that has the same meaning under every `sql_mode` and connection character set. */
export function quoteText(text: string): string {
  return /^[\w .:+@-]*$/.test(text) ? `'${text}'` : `convert(x'${Buffer.from(text, "utf8").toString("hex")}' using utf8mb4)`;
}

/**
 * Returns an SQL condition that is true if a column of information_schema equals this name exactly. The server compares such columns without case and
 * accents, so `shop` also matches `Shop` and `shöp`. The condition therefore has two comparisons: with the first comparison, MariaDB reads one
 * database only; the second comparison is exact.
 */
export function named(column: string, name: string): string {
  return `${column} = ${constant(name)} and ${exactly(column, name)}`;
}

/** Returns an SQL condition that is true if an expression equals this name of a database or table. The comparison ignores case if the server does. */
export function exactly(expression: string, name: string): string {
  const bytes = (one: string): string => `cast(if(@@lower_case_table_names, lower(${one}), ${one}) as binary)`;
  return `${bytes(expression)} = ${bytes(constant(name))}`;
}

function constant(name: string): string {
  return `_utf8mb4 x'${Buffer.from(name, "utf8").toString("hex")}'`;
}
