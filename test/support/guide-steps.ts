/** A part of a guide that a reader would type: a file, a change of a file, commands, or the lines that the last commands print. */
export type GuideStep =
  | { readonly kind: "file"; readonly path: string; readonly text: string }
  | { readonly kind: "change"; readonly path: string; readonly before: string; readonly after: string }
  | { readonly kind: "commands"; readonly commands: readonly GuideCommand[] }
  | { readonly kind: "output"; readonly lines: readonly string[] };

export interface GuideCommand {
  readonly line: string;
  /** The exit status that a comment after the command states; 0 without a comment. */
  readonly status: number;
  /** `true` if the command runs until Ctrl-C. */
  readonly isEndless: boolean;
}

/**
 * Returns the steps of a guide, in the order of its fenced blocks. `sh` is commands, `diff` changes a file, and a block without a language is output.
 * Any other block is a file. The first code span of the paragraph before the block names the file.
 * @throws Error if the paragraph names no file.
 */
export function guideSteps(page: string): readonly GuideStep[] {
  return [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)].flatMap((block): readonly GuideStep[] => {
    const [language, text] = [block[1]!, block[2]!];
    if (language === "text") return [];
    if (language === "") return [{ kind: "output", lines: lines(text) }];
    if (language === "sh") return [{ kind: "commands", commands: lines(text).map(commandOf) }];
    const path = namedFile(page.slice(0, block.index));
    if (language !== "diff") return [{ kind: "file", path, text }];
    const rows = text.split("\n").slice(0, -1);
    const side = (sign: string): string =>
      rows
        .filter((row) => row[0] === sign || row[0] === " ")
        .map((row) => `${row.slice(1)}\n`)
        .join("");
    return [{ kind: "change", path, before: side("-"), after: side("+") }];
  });
}

/** Returns `text` with the change applied. @throws Error if the text before the change does not occur exactly once. */
export function changed(text: string, { path, before, after }: Extract<GuideStep, { kind: "change" }>): string {
  const parts = text.split(before);
  if (parts.length !== 2) throw new Error(`${path} has ${parts.length - 1} places for this change:\n${before}`);
  return parts.join(after);
}

const lines = (text: string): readonly string[] => text.split("\n").filter((line) => line.trim() !== "");

function commandOf(line: string): GuideCommand {
  const [command, comment = ""] = line.split(/\s+# /);
  const status = Number(/^exit status (\d+)/.exec(comment)?.[1] ?? 0);
  return { line: command!, status, isEndless: comment.startsWith("until Ctrl-C") };
}

function namedFile(before: string): string {
  const paragraph = before.trimEnd().split("\n\n").at(-1)!.replaceAll("\n", " ");
  const path = /`([^`]+)`/.exec(paragraph)?.[1] ?? "";
  if (!/^[\w./-]+\.\w+$/.test(path)) throw new Error(`This paragraph names no file for the block below it:\n${paragraph}`);
  return path;
}
