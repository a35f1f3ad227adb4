import type { RunDiff } from "../run-diff.ts";
import { diffHtml } from "./diff-html.ts";
import { diffMarkdown } from "./diff-markdown.ts";
import { diffText } from "./diff-text.ts";

export type DiffFormat = (diff: RunDiff) => string;

/** The formats of `seqqa diff`, by their names in `--format`. The first format is the default. */
export const DIFF_FORMATS: Readonly<Record<string, DiffFormat>> = { text: diffText, markdown: diffMarkdown, html: diffHtml };
