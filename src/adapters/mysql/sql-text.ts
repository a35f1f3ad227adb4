/** An identifier, quoted. */
export function quoteName(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}

/** A string constant that means the same under every `sql_mode` and character set of the connection. */
export function quoteText(text: string): string {
  return /^[\w .:+@-]*$/.test(text) ? `'${text}'` : `convert(x'${Buffer.from(text, "utf8").toString("hex")}' using utf8mb4)`;
}
