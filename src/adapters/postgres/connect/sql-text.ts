export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns an SQL string literal that is valid with `standard_conforming_strings` on or off. */
export function quoteText(text: string): string {
  const quoted = `'${text.replaceAll("'", "''").replaceAll("\\", "\\\\")}'`;
  return text.includes("\\") ? ` E${quoted}` : quoted;
}

/** Returns the name of a table or sequence as messages show it. The schema `public` is left out. */
export function shownName(schema: string, name: string): string {
  return schema === "public" ? name : `${schema}.${name}`;
}

/** Parses the text of a row or composite value, in the format of PostgreSQL's `record_out`. Returns the text of each field. */
export function rowFields(row: string): (string | null)[] {
  const fields: (string | null)[] = [];
  if (row === "()") return fields;
  let at = 1;
  const end = row.length - 1;
  while (at <= end) {
    if (at === end || row[at] === ",") {
      fields.push(null);
      at++;
      continue;
    }
    if (row[at] !== '"') {
      let to = row.indexOf(",", at);
      if (to < 0) to = end;
      fields.push(row.slice(at, to));
      at = to + 1;
    } else {
      const [text, next] = quotedField(row, at + 1);
      fields.push(text);
      at = next + 1;
    }
    // A comma directly before the closing parenthesis means that a last field follows and is NULL.
    if (at === end && row[at - 1] === ",") {
      fields.push(null);
      break;
    }
  }
  return fields;
}

function quotedField(row: string, at: number): [string, number] {
  let text = "";
  let from = at;
  for (;;) {
    const char = row[at];
    if (char === '"' && row[at + 1] !== '"') return [text + row.slice(from, at), at + 1];
    // Inside a quoted field, quotes and backslashes are doubled. Keep one of the two characters.
    if (char === '"' || char === "\\") {
      text += row.slice(from, at + 1);
      at += 2;
      from = at;
    } else {
      at++;
    }
  }
}
