/** Quotes an identifier. */
export function quoteName(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}

/** Returns a string constant that means the same under every `sql_mode` and character set of the connection. */
export function quoteText(text: string): string {
  return /^[\w .:+@-]*$/.test(text) ? `'${text}'` : `convert(x'${Buffer.from(text, "utf8").toString("hex")}' using utf8mb4)`;
}

/**
 * Returns the condition that a column of information_schema holds exactly this name. Its columns are compared without case and accents, so that
 * `shop` would also be `Shop` and `shöp`. The first half alone lets MariaDB look into one database instead of all, and the second half alone is
 * exact.
 */
export function named(column: string, name: string): string {
  return `${column} = ${constant(name)} and ${exactly(column, name)}`;
}

/** Returns the condition that an expression is exactly this name of a database or table. Case counts only where the server distinguishes it. */
export function exactly(expression: string, name: string): string {
  const bytes = (one: string): string => `cast(if(@@lower_case_table_names, lower(${one}), ${one}) as binary)`;
  return `${bytes(expression)} = ${bytes(constant(name))}`;
}

function constant(name: string): string {
  return `_utf8mb4 x'${Buffer.from(name, "utf8").toString("hex")}'`;
}
