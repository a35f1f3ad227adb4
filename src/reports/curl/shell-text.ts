/** A value that is known only when the script runs. `form` is the encoding that the value needs at its position. */
export interface Hole {
  readonly variable: string;
  readonly form: "plain" | "uri" | "text";
}

/** A part of a text in a script: a fixed text, or a value that is known only when the script runs. */
export type Part = string | Hole;

/** Quotes a text as one word of a POSIX shell, so that the shell treats it only as data. */
export function quoted(text: string): string {
  return `'${text
    .replaceAll("\0", "")
    .replace(/[\ud800-\udfff]/gu, "\ufffd")
    .replaceAll("'", `'\\''`)}'`;
}

export function word(parts: readonly Part[]): string {
  const shown = joined(parts).map((part) => (typeof part === "string" ? quoted(part) : expansion(part)));
  return shown.length === 0 ? "''" : shown.join("");
}

/** Returns shell commands that print a text and the values in it, without changing any byte. */
export function printing(parts: readonly Part[]): string {
  const commands = joined(parts).map((part) => (typeof part === "string" ? printText(part) : `printf '%s' ${expansion(part)}`));
  return commands.length === 0 ? ":" : commands.join("; ");
}

function joined(parts: readonly Part[]): readonly Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const before = all.at(-1);
    if (part === "") continue;
    if (typeof part === "string" && typeof before === "string") all[all.length - 1] = before + part;
    else all.push(part);
  }
  return all;
}

function expansion({ variable, form }: Hole): string {
  return form === "plain" ? `"$${variable}"` : `"$(helper ${form} "$${variable}")"`;
}

/**
 * Returns a shell command that prints a text. Control characters and lone surrogates are written as octal escapes, because a shell script could not
 * contain them unchanged.
 */
function printText(text: string): string {
  if (!/[\ud800-\udfff]/u.test(text) && !/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/.test(text))
    return `printf '%s' ${quoted(text)}`;
  const octal = Array.from(Buffer.from(text, "utf8"), (byte) =>
    byte >= 0x20 && byte < 0x7f && !"'\\%".includes(String.fromCharCode(byte))
      ? String.fromCharCode(byte)
      : `\\${byte.toString(8).padStart(3, "0")}`,
  );
  // A leading hyphen would begin an option of printf.
  return `printf '${octal.join("").replace(/^-/, "\\055")}'`;
}

/** Returns a shell comment of one line for any text. */
export function comment(text: string): string {
  return `# ${text.replace(/[^\x20-\x7e\u00a1-\u1fff\u3000-\ud7ff]/g, "?")}`;
}
