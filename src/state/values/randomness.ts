/**
 * The 200 pairs of letters that make up 89 % of the letter pairs in 42,000 identifiers and words from source code and documentation. In uniformly
 * random text, they make up 30 %.
 */
const COMMON_PAIRS =
  "ab ac ad ag ai al am an ap ar as at au ay ba be bi bl bo br bu ca ce ch ci ck cl co cr ct cu da dd de di do ds du ea eb ec ed ee ef eg el em en eo ep eq er es et ev ex ey fa fe fi fo fu ge gi gn gr ha he hi ho ht ia ic id ie if ig il im in io ip ir is it iv iz js ke la ld le li ll lo ls lt lu ly ma me mi mm mo mp na nc nd ne nf ng ni nn no ns nt nu ob oc od ol om on oo op or os ot ou ov ow pa pe pi pl po pp pr ps pt qu ra rc rd re rg ri rk rm rn ro rr rs rt ru ry sa sc se sh si so sp ss st su sy ta tc te th ti to tp tr ts tt tu ty ue ui ul um un up ur us ut va ve vi wa wi wo xp xt yn yp ze zo";

const common = new Uint8Array(26 * 26);
for (const pair of COMMON_PAIRS.split(" ")) common[(pair.charCodeAt(0) - 97) * 26 + pair.charCodeAt(1) - 97] = 1;

/** Returns `true` if all neighbouring letters of a lower-case text are common pairs, as in `order` or `sess`. */
export function readsLikeWord(text: string): boolean {
  for (let i = 1; i < text.length; i++) if (common[(text.charCodeAt(i - 1) - 97) * 26 + text.charCodeAt(i) - 97] !== 1) return false;
  return true;
}

/** Matches a word in lower case, capitalised, or in camel case. */
const WORD = /^[A-Z]?[a-z]+(?:[A-Z][a-z]+)*$/;

/**
 * Returns `true` if a text consists of words without digits, such as `user_settings`, and at least two thirds of the neighbouring letters are common
 * pairs. One word in seven has a rare pair, so {@link readsLikeWord} would miss `settings`.
 */
export function readsLikeWords(text: string): boolean {
  const words = text.split(/[._-]/);
  if (!words.every((word) => WORD.test(word))) return false;
  const pairs = words.flatMap((word) => Array.from(word.toLowerCase().slice(1), (letter, at) => word[at]!.toLowerCase() + letter));
  return pairs.filter(readsLikeWord).length * 3 >= pairs.length * 2;
}

const NEUTRAL = 0;
const DIGIT = 1;
const LOWER = 2;
const UPPER = 3;

function classOf(code: number): number {
  if (code >= 48 && code <= 57) return DIGIT;
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 65 && code <= 90) return UPPER;
  return NEUTRAL;
}

const HEX = /^(?:[0-9a-f]+|[0-9A-F]+)$/;
const SHORTEST = 16;

/**
 * Returns `true` if a token looks random in hex, base36, base62 or base64url. In doubt, returns `false`: treating a fixed token as random would merge
 * different states, while not recognizing a random token only prevents merges of equal states. Text that people wrote is recognized by the
 * log-likelihood of its neighbouring characters.
 */
export function looksRandom(token: string): boolean {
  if (token.length < SHORTEST) return false;
  return HEX.test(token) ? randomHex(token) : randomText(token);
}

function randomHex(token: string): boolean {
  let letters = 0;
  let steps = 0;
  const seen = new Set<number>();
  for (let i = 0; i < token.length; i++) {
    const value = Number.parseInt(token[i]!, 16);
    seen.add(value);
    if (value > 9) letters++;
    if (i > 0 && (value - Number.parseInt(token[i - 1]!, 16)) >>> 0 <= 1) steps++;
  }
  // Rejects 16 digits (perhaps a card number), "deadbeef..." (no digit), and "0123..." or "0000...1" (ascending or repeated digits).
  return letters > 0 && letters < token.length && seen.size >= 6 && steps * 2 < token.length;
}

function randomText(token: string): boolean {
  let evidence = 0;
  let digits = 0;
  let lower = 0;
  let upper = 0;
  let neutral = 0;
  let previous = -1;
  let previousClass = NEUTRAL;
  const seen = new Set<number>();
  for (let i = 0; i < token.length; i++) {
    const code = token.charCodeAt(i);
    const kind = classOf(code);
    seen.add(code);
    if (kind === DIGIT) digits++;
    else if (kind === LOWER) lower++;
    else if (kind === UPPER) upper++;
    else neutral++;
    if (kind !== NEUTRAL && previousClass !== NEUTRAL) evidence += evidenceOf(previous, previousClass, code, kind);
    previous = code;
    previousClass = kind;
  }
  // A token of letters of one case without digits is probably a word. A token with separators must have mixed case, because codes such as
  // SKU-2024-ABCD-1234 are upper case and slugs are lower case.
  if (lower === 0 && upper === 0) return false;
  if (neutral > 0 ? lower === 0 || upper === 0 || neutral > 1 + token.length / 6 : digits === 0 && (lower === 0 || upper === 0))
    return false;
  return seen.size * 2 >= Math.min(token.length, 24) && evidence >= (digits > 1 && neutral === 0 ? -4 : 0);
}

/** Returns log2 of P(pair | random base62) / P(pair | written by people), rounded. Measured on the corpus of {@link COMMON_PAIRS}. */
function evidenceOf(a: number, classA: number, b: number, classB: number): number {
  if (classA === DIGIT && classB === DIGIT) return b - a === 1 || b === a ? -2 : -0.5;
  if (classA === DIGIT || classB === DIGIT) return 2.5;
  if (classA === LOWER && classB === UPPER) return 1.5;
  const first = (a | 32) - 97;
  const second = (b | 32) - 97;
  if (second - first === 1) return -2;
  return common[first * 26 + second] === 1 ? -2.2 : 2;
}
