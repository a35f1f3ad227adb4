/** A word of a text, and the key by which it is looked up. All notations of one id have the same key. */
export interface Word {
  readonly key: string;
  readonly form: string;
}

const UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;
const HEX = /^(?:[0-9a-f]{16,}|[0-9A-F]{16,})$/;

/**
 * Returns a text as a word with its lookup key. The key ignores dashes and letter case of a UUID, and the letter case of a long hexadecimal number.
 */
export function wordOf(text: string): Word {
  if (text.length === 36 && UUID.test(text)) {
    const key = text.replaceAll("-", "").toLowerCase();
    return { key, form: /[A-F]/.test(text) ? "U" : "u" };
  }
  if (HEX.test(text)) return { key: text.toLowerCase(), form: /[A-F]/.test(text) ? "H" : "h" };
  return { key: text, form: "t" };
}

export function wordOfBytes(bytes: Uint8Array): Word {
  return { key: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex"), form: "b" };
}

/** Matches a date and time inside a longer text, such as a range of times. */
const TIME =
  /(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?|(?<!\d)(?:\d{1,2}([/.-])\d{1,2}\1\d{4}|\d{4}\/\d{1,2}\/\d{1,2}),?\s\d{1,2}:\d\d:\d\d(?:\s[AP]M)?|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} \d\d \d{4} \d\d:\d\d:\d\d GMT[+-]\d{4})(?![\w:])/g;
/** Replaces a time in the text before a word, so that the letters and digits before the word can be compared. */
const MARK = "<time>";

/** Patterns for words, from widest to narrowest: signed tokens and URL-safe text, names with separators, runs of letters and digits. */
const TIERS: readonly RegExp[] = [/[\w.+/=~-]+/g, /[\w-]+/g, /[A-Za-z0-9]+/g];

/** The length from which a word in a text is looked up among generated values. Shorter words are equal by chance. */
export const SHORTEST_WORD: number = 4;

/** Words with separators up to this length, in characters, are searched for a known word at their end. The search takes quadratic time. */
const LONGEST_NAME = 512;

/**
 * Stands for the letters and digits before a word if they belong to a generated word, as in `sk_<id>.<secret>`. These letters and digits differ in
 * each execution, so they cannot identify the place of the word.
 */
export const AFTER_FOUND: string = "*";

/** Returns `true` for a {@link WordPair.after} that ends with a separator. */
export const beginsInName = (after: string): boolean => /[A-Za-z0-9][^A-Za-z0-9]$/.test(after);

export type TextPart<T> = { readonly text: string; readonly found?: undefined } | { readonly text: string; readonly found: T };

/**
 * Splits a text at the words that `find` knows, wider words first. Returns `undefined` if `find` knows no word of the text.
 *
 * @param find Returns the value of a known word. `after`: the text before the word, in the form of {@link WordPair.after}. Called again with `*` if
 *   the word follows a word that `find` knew.
 */
export function splitAtWords<T>(text: string, find: (word: string, after: string) => T | undefined): readonly TextPart<T>[] | undefined {
  const parts: TextPart<T>[] = [];
  // {@link differingWords} takes the id before the counter for a word only if it begins the text.
  const counted = countedIn(text, "^", find);
  if (counted !== undefined) return [counted.id, counted.rest];
  let done = 0;
  let after = "^";
  for (const { 0: time, index } of timesIn(text)) {
    if (index > done) splitInto(text.slice(done, index), 0, { after, isNext: false }, find, parts);
    after = lastRun(text.slice(done, index), after);
    const found = find(time, after);
    parts.push(found === undefined ? { text: time } : { text: time, found });
    after = lastRun(MARK, "");
    done = index + time.length;
  }
  if (done < text.length) splitInto(text.slice(done), 0, { after, isNext: false }, find, parts);
  return parts.some(({ found }) => found !== undefined) ? parts : undefined;
}

/** Returns the times inside a longer text. Texts without a colon are not searched, because every such time contains a colon. */
function timesIn(text: string): readonly RegExpExecArray[] {
  const times = text.includes(":") ? [...text.matchAll(TIME)] : [];
  return times[0]?.[0] === text ? [] : times;
}

function splitInto<T>(
  text: string,
  tier: number,
  before: { readonly after: string; readonly isNext: boolean },
  find: (word: string, after: string) => T | undefined,
  parts: TextPart<T>[],
): void {
  let done = 0;
  // `isNext`: only punctuation is between the last found word and the word that is searched for.
  let { after, isNext } = before;
  let looked = 0;
  for (const match of text.matchAll(TIERS[tier]!)) {
    const word = match[0];
    after = lastRun(text.slice(looked, match.index), after);
    looked = match.index;
    // Punctuation between two words is not a word.
    const isWord = LETTER_OR_DIGIT.test(word);
    const found = isWord ? (find(word, after) ?? (isNext ? find(word, AFTER_FOUND) : undefined)) : undefined;
    const rest = found === undefined && tier < 2 && word.length <= LONGEST_NAME ? endOf(word, tier === 0, after, find) : undefined;
    const counted = found === undefined && rest === undefined ? countedIn(word, after, find) : undefined;
    const wasNext = isNext;
    isNext = found !== undefined || rest !== undefined;
    if (found === undefined && tier === TIERS.length - 1) continue;
    if (match.index > done) parts.push({ text: text.slice(done, match.index) });
    if (found !== undefined) parts.push({ text: word, found });
    else if (counted !== undefined) parts.push(counted.id, counted.rest);
    else if (rest !== undefined) {
      splitInto(word.slice(0, rest.at - 1), tier, { after, isNext: wasNext }, find, parts);
      parts.push({ text: word[rest.at - 1]! }, { text: word.slice(rest.at), found: rest.found });
    } else {
      splitInto(word, tier + 1, { after, isNext: wasNext }, find, parts);
      isNext = parts.at(-1)?.found !== undefined;
    }
    done = match.index + word.length;
  }
  if (done < text.length) parts.push({ text: text.slice(done) });
}

/** Returns the parts of a text that consists of a known word and a counter; see {@link COUNTED}. */
function countedIn<T>(
  text: string,
  after: string,
  find: (word: string, after: string) => T | undefined,
): { readonly id: TextPart<T>; readonly rest: TextPart<T> } | undefined {
  const [, word, rest] = (DIGIT.test(text.at(-1)!) && COUNTED.exec(text)) || [];
  const found = word === undefined ? undefined : find(word, after);
  return found === undefined ? undefined : { id: { text: word!, found }, rest: { text: rest! } };
}

/**
 * Returns the longest known word at the end of a name with separators, such as a token after a prefix.
 *
 * @param isWide `true` for words that contain other punctuation than `_` and `-`, such as base64. The text before them includes the separator.
 */
function endOf<T>(
  word: string,
  isWide: boolean,
  before: string,
  find: (word: string, after: string) => T | undefined,
): { readonly at: number; readonly found: T } | undefined {
  for (const { index } of word.matchAll(/[^A-Za-z0-9]/g)) {
    if (index === 0) continue;
    const found = find(word.slice(index + 1), lastRun(word.slice(0, index), before) + (isWide ? word[index]! : ""));
    if (found !== undefined) return { at: index + 1, found };
  }
  return undefined;
}

/**
 * Returns the letters and digits at the end of a text, or `otherwise` if there are none. A regular expression would take quadratic time for a long
 * text.
 */
function lastRun(text: string, otherwise: string): string {
  let end = text.length;
  while (end > 0 && !LETTER_OR_DIGIT.test(text[end - 1]!)) end--;
  let begin = end;
  while (begin > 0 && LETTER_OR_DIGIT.test(text[begin - 1]!)) begin--;
  return begin === end ? otherwise : text.slice(begin, end);
}

const LETTER_OR_DIGIT = /[A-Za-z0-9]/;
const DIGIT = /\d/;
const OF_TOKEN = /[\w.+=~-]/;
const OF_WIDE = /[\w.+/=~-]/;

const isWideWord = (text: string): boolean => LETTER_OR_DIGIT.test(text) && /[^\w-]/.test(text);

export interface WordPair {
  /**
   * The letters and digits directly before the word, which both texts share; `^` if there are none; `""` if the words are the whole texts; `*` if the
   * word follows another word that differs. Ends with the separator if the word begins inside a name and contains other punctuation than `_` and `-`.
   */
  readonly after: string;
  readonly a: string;
  readonly b: string;
}

/**
 * Pairs the differences between two texts: first the times in longer texts, then the other words as {@link otherWords} does.
 */
export function differingWords(a: string, b: string): readonly WordPair[] {
  const [x, y] = [timesIn(a), timesIn(b)];
  if (x.length === 0 || x.length !== y.length) return otherWords(a, b);
  const [markedA, markedB] = [a.replace(TIME, MARK), b.replace(TIME, MARK)];
  const others = markedA === markedB ? [] : otherWords(markedA, markedB);
  // Without the times, the beginnings of the texts differ. The times then belong to longer words, which are compared as a whole.
  if (others.some(({ after }) => after === "")) return otherWords(a, b);
  let done = 0;
  const pairs = x.map(({ 0: time, index }, i): WordPair => {
    const after = lastRun(a.slice(done, index), i === 0 ? "^" : lastRun(MARK, ""));
    done = index + time.length;
    return { after, a: time, b: y[i]![0] };
  });
  return [...pairs.filter((pair) => pair.a !== pair.b), ...others];
}

/**
 * Pairs the differences between two texts without times. If the texts differ only in some groups of letters and digits, returns a pair for each such
 * group. Otherwise, returns a single pair: the words between the common beginning and the common end, or the whole texts.
 */
function otherWords(a: string, b: string): readonly WordPair[] {
  const whole: readonly WordPair[] = [{ after: "", a, b }];
  const [countedA, countedB] = [COUNTED.exec(a), COUNTED.exec(b)];
  if (countedA !== null && countedB !== null && countedA[2] === countedB[2]) return [{ after: "^", a: countedA[1]!, b: countedB[1]! }];
  const [runsA, runsB] = [runsOf(a), runsOf(b)];
  if (runsA.length < 2 || runsB.length < 2 || runsA[0]!.text !== runsB[0]!.text) return whole;
  if (runsA.length === runsB.length && a.replace(RUN, "\0") === b.replace(RUN, "\0")) {
    const pairs: WordPair[] = [];
    for (let i = 1; i < runsA.length; i++) {
      if (runsA[i]!.text === runsB[i]!.text) continue;
      const isAfterCommon = runsA[i - 1]!.text === runsB[i - 1]!.text;
      if (!isAfterCommon) return between(a, b, runsA, runsB) ?? whole;
      pairs.push({ after: lastRun(runsA[i - 1]!.text, "^"), a: runsA[i]!.text, b: runsB[i]!.text });
    }
    return pairs;
  }
  return between(a, b, runsA, runsB) ?? whole;
}

/**
 * Matches a word, such as a code or an id, that is followed by a counter or a version: `732722:0`, `<uuid>-v3`. The counter is not a part of the
 * word, because it shows, for example, how often the code was tried. Ids in base64url may end like a counter by chance, but hardly in the same way
 * in two executions.
 */
const COUNTED = /^([A-Za-z0-9]{4,}|[\w-]{16,})([:|./#=_-]v?\d{1,3})$/;

interface Run {
  readonly text: string;
  readonly at: number;
}

/**
 * Matches a group of letters and digits, or a UUID. UUIDs of version 7 that were generated within the same minute begin with the same group, so a
 * UUID is never compared group by group.
 */
const RUN = /(?<![A-Za-z0-9])[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![A-Za-z0-9])|[A-Za-z0-9]+/g;

function runsOf(text: string): readonly Run[] {
  return [...text.matchAll(RUN)].map((match) => ({ text: match[0], at: match.index }));
}

/**
 * Pairs the only word of each text between the common beginning and the common end of both texts. Returns `undefined` if one of the texts has no
 * word, or several words, there.
 */
function between(a: string, b: string, runsA: readonly Run[], runsB: readonly Run[]): readonly WordPair[] | undefined {
  let front = 0;
  while (front < Math.min(runsA.length, runsB.length) && runsA[front]!.text === runsB[front]!.text && runsA[front]!.at === runsB[front]!.at)
    front++;
  if (front === 0) return undefined;
  const before = runsA[front - 1]!;
  let start = before.at + before.text.length;
  // A dot after the common beginning continues a signed token. A hash such as `$2b$10$...` may contain dots, too.
  const isAfterDot = a[start] === ".";
  // Punctuation that only one of the texts has belongs to its word: an id in base64url may begin with a dash or an underscore.
  while (start < Math.min(a.length, b.length) && a[start] === b[start] && !LETTER_OR_DIGIT.test(a[start]!)) start++;
  let end = 0;
  const most = Math.min(a.length, b.length) - start;
  while (end < most && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  // Shorten the common ending, so that it does not begin in the middle of a word.
  while (end > 0 && /[\w-]/.test(a[a.length - end]!)) end--;
  const middles = [a.slice(start, a.length - end), b.slice(start, b.length - end)] as const;
  const isInName = OF_WIDE.test(a[start - 1]!);
  const after = lastRun(before.text, "^");
  const parts = isAfterDot ? undefined : partsOf(...middles, isInName, after);
  if (parts !== undefined) return parts;
  const [x, y] = middles.map((middle) => /^[^A-Za-z0-9]*?([\w.+/=~-]+)$/.exec(middle)?.[1]);
  if (x === undefined || y === undefined) return undefined;
  const isSigned = isAfterDot && x.includes(".") && y.includes(".");
  if (isSigned) return [signed(a, b, { start, end })];
  // {@link splitAtWords} finds a word that begins inside a name, and that is more than a name itself, only at the end of the name.
  const padding = /^=*(?![\w.+/=~-])/.exec(a.slice(a.length - end))?.[0];
  const isWide =
    isInName && padding !== undefined && x === middles[0] && y === middles[1] && (isWideWord(x + padding) || isWideWord(y + padding));
  return isWide ? [{ after: after + a[start - 1]!, a: x + padding, b: y + padding }] : [{ after, a: x, b: y }];
}

/**
 * Pairs the parts of two texts such as `<id>.<secret>`, so that each part is a generated value of its own: the id may also be the key of a row.
 * Returns `undefined` if the parts do not correspond, as in two values in base64, which contain `/` at different places.
 *
 * @param isInName `true` if the texts are the end of a name such as `sk_<id>.<secret>`. Otherwise, {@link splitAtWords} finds both parts as one word
 *   if only a dot or another character of tokens separates them.
 */
function partsOf(a: string, b: string, isInName: boolean, before: string): readonly WordPair[] | undefined {
  const [x, y] = [a.split(PART_END), b.split(PART_END)];
  if (x.length < 2 || x.length !== y.length || a.replaceAll(NAMES, "") !== b.replaceAll(NAMES, "")) return undefined;
  if (!isInName && [...a.replaceAll(NAMES, "")].every((separator) => OF_WIDE.test(separator))) return undefined;
  const isPart = (part: string): boolean => part.length >= SHORTEST_WORD && NAME.test(part) && LETTER_OR_DIGIT.test(part);
  // Ids have a fixed length. The last part may vary.
  if (!x.every((part, i) => isPart(part) && isPart(y[i]!) && (i === x.length - 1 || part.length === y[i]!.length))) return undefined;
  return x.flatMap((part, i): readonly WordPair[] => {
    if (part === y[i]) return [];
    const earlier = x[i - 1] ?? "";
    return [{ after: i === 0 ? before : earlier === y[i - 1] ? lastRun(earlier, "^") : AFTER_FOUND, a: part, b: y[i]! }];
  });
}

const PART_END = /[.:/|~]/;
const NAMES = /[\w-]+/g;
const NAME = /^[\w-]+$/;

/**
 * Pairs two signed tokens (such as signed cookies) that differ in a part. Each token is returned as one word, even if both begin in the same way,
 * because {@link splitAtWords} tries the whole token first.
 */
function signed(a: string, b: string, { start, end }: { readonly start: number; readonly end: number }): WordPair {
  let begin = start;
  while (begin > 0 && OF_TOKEN.test(a[begin - 1]!)) begin--;
  const isWhole = begin === 0 && end === 0;
  return { after: isWhole ? "" : lastRun(a.slice(0, begin), "^"), a: a.slice(begin, a.length - end), b: b.slice(begin, b.length - end) };
}
