/** Parses JSON that may contain comments and trailing commas. Returns `undefined` if the text is not JSON. */
export function parseJson(text: string): unknown {
  const value = parsed(text);
  if (value !== undefined) return value;
  const once = bare(text);
  // Clean the text twice, because a comma before a comment becomes a trailing comma when the comment is removed.
  return parsed(once) ?? parsed(bare(once));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Removes comments and trailing commas from a JSON text. Scans the text once, because a regular expression could take quadratic time. */
function bare(text: string): string {
  const kept: string[] = [];
  let from = 0;
  const leaveOut = (start: number, end: number): void => {
    kept.push(text.slice(from, start), " ");
    from = end;
  };
  const marks = /["/,]/g;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const end = endOf(text, mark.index);
    if (end < 0) return "";
    if (mark[0] !== '"' && end > mark.index) leaveOut(mark.index, end);
    marks.lastIndex = Math.max(end, mark.index + 1);
  }
  return kept.join("") + text.slice(from);
}

/**
 * Returns the offset after the string, comment or trailing comma that begins at `start`. Returns `start` if no such token begins there. Returns -1 if
 * a string or comment has no end.
 */
function endOf(text: string, start: number): number {
  if (text[start] === '"') return endOfString(text, start);
  if (text[start] === ",") return isSpare(text, start) ? start + 1 : start;
  if (text[start + 1] === "/") return lineEnd(text, start);
  if (text[start + 1] !== "*") return start;
  const end = text.indexOf("*/", start + 2);
  return end < 0 ? -1 : end + 2;
}

function isSpare(text: string, comma: number): boolean {
  const closing = /\s*[}\]]/y;
  closing.lastIndex = comma + 1;
  return closing.test(text);
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end < 0 ? text.length : end;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') return at + 1;
    if (text[at] === "\\") at++;
  }
  return -1;
}
