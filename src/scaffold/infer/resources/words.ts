/** The maximum number of characters of a name that are examined. Names in descriptions may be very long. */
const LONGEST = 200;

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  Object.entries({
    people: "person",
    children: "child",
    men: "man",
    women: "woman",
    mice: "mouse",
    indices: "index",
    vertices: "vertex",
    matrices: "matrix",
    criteria: "criterion",
    analyses: "analysis",
    crises: "crisis",
    axes: "axis",
    leaves: "leaf",
    knives: "knife",
    lives: "life",
    shelves: "shelf",
    halves: "half",
    quizzes: "quiz",
    caches: "cache",
    movies: "movie",
    cookies: "cookie",
    heroes: "hero",
    news: "news",
    series: "series",
    species: "species",
    aliases: "alias",
    biases: "bias",
    canvases: "canvas",
    atlases: "atlas",
    gas: "gas",
    lens: "lens",
    lenses: "lens",
    aws: "aws",
    dns: "dns",
    sms: "sms",
    https: "https",
  }),
);

/**
 * Returns the words of a name in lower case: `orderId`, `order_id` and `Order-ID` all give `order` and `id`. Accents are removed. All characters
 * other than letters a-z and digits separate words.
 */
export function words(name: string): readonly string[] {
  let known = split.get(name);
  if (known !== undefined) return known;
  // The words of names are cached, because each name is compared with every resource. Empty the cache when it becomes too large.
  if (split.size > MOST_KEPT) split.clear();
  split.set(name, (known = wordsOf(name)));
  return known;
}

const MOST_KEPT = 20_000;
const split = new Map<string, readonly string[]>();

function wordsOf(name: string): readonly string[] {
  return name
    .slice(0, LONGEST)
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/IDs(?![a-z])/g, "Ids")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

export function snake(name: string): string {
  return words(name).join("_");
}

/** Returns a name in lower case without separators: `orderid` for `order_id`, `orderId` and `Order-ID`. */
export function squashed(name: string): string {
  return words(name).join("");
}

export function singular(word: string): string {
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (word.length <= 3 || /(ss|us|is)$/.test(word)) return word;
  if (/(stat|vir|bon|camp|cens|radi)uses$|(ss|sh|ch|x)es$/.test(word)) return word.slice(0, -2);
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  return word.endsWith("s") ? word.slice(0, -1) : word;
}

/** Returns a name in snake case with its last word in the singular: `order_item` for `order-items`. */
export function singularName(name: string): string {
  const all = words(name);
  return [...all.slice(0, -1), ...all.slice(-1).map(singular)].join("_");
}

export function looksLikeId(name: string): boolean {
  return /(^|_)(id|uuid|guid)$/.test(snake(name));
}
