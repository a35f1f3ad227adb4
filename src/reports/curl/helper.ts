/**
 * The JavaScript part of the script, for Node 18 or newer. This code reads JSON, headers and cookies of answers, encodes values, and compares
 * answers. No single quotes are allowed in the code, because the shell script puts it in single quotes. Times and the URL of the API may differ from
 * the recorded ones. Ids may differ if each recorded id always corresponds to the same new id. Numbers correspond only within one kind of thing, such
 * as orders, because things of different kinds may have the same number as id. `seeds` are pairs of a recorded id and the new id from an answer.
 */
export const HELPER = `const fs = require("fs");
const [command, ...args] = process.argv.slice(1);
const out = (text) => process.stdout.write(String(text));
const missing = (what) => { console.error("There is no " + what + "."); process.exit(3); };
const read = (file) => { try { return fs.readFileSync(file, "utf8"); } catch { return ""; } };
const headers = (file, name) => read(file).split(/\\r?\\n/).filter((line) => line.toLowerCase().startsWith(name + ":")).map((line) => line.slice(name.length + 1).trim());
// Integers that JavaScript numbers cannot hold become an object with their digits.
const exact = (text) => JSON.parse(text.replace(/"(?:[^"\\\\]|\\\\.)*"|(?<![\\d.eE+-])-?\\d{16,}(?![\\d.eE])/g, (part) => part.startsWith("\\"") ? part : JSON.stringify({ "digits!": part })));
const digits = (value) => typeof value === "number" ? String(value) : value?.["digits!"];
const parsed = (text) => { try { return { value: exact(text) }; } catch { return undefined; } };
const TIME = /\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?(Z|[+-]\\d\\d:?\\d\\d)?/g;
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?=[A-Za-z_-]*\\d)[A-Za-z0-9_-]{16,}/gi;
const there = new Map(), back = new Map();
let seeds = [], bases = [];
const renamed = (of, a, b) => {
  const [x, y] = [of + ":" + a, of + ":" + b];
  if (!there.has(x) && !back.has(y)) { there.set(x, y); back.set(y, x); }
  return there.get(x) === y && back.get(y) === x;
};
const bare = (n) => n.replace(/^0+(?=\\d)/, "");
const known = (a, b) => seeds.some(([x, y]) => x === a && y === b) || [...there].some(([x, y]) => x.endsWith(":" + a) && y.endsWith(":" + b));
const word = (name) => name.split(/[_-]|(?<=[a-z])(?=[A-Z])/).pop().toLowerCase().replace(/ies$/, "y").replace(/s$/, "");
const END = /(^|[_-])(id|no|number|ref)s?$|(?<=[a-z])(I[dD]|No|Number|Ref)s?$/;
const named = (key) => END.test(key);
const thing = (key, above) => {
  const kind = (END.exec(key)?.slice(2).find(Boolean) || "").toLowerCase();
  return (word(key.replace(END, "")) || above) + (kind === "id" ? "" : "#" + kind);
};
const texts = (a, b, key, above) => {
  if (a.includes("[redacted]")) return true;
  const [x, y] = [a, b].map((text) => bases.reduce((rest, base) => rest.split(base).join("<url>"), text).replace(TIME, "<time>"));
  const [p, q] = [x.match(ID) || [], y.match(ID) || []];
  const [s, t] = [x, y].map((text) => text.replace(ID, "<id>"));
  if (p.length !== q.length || s.replace(/\\d+/g, "0") !== t.replace(/\\d+/g, "0") || !p.every((id, i) => renamed("", id, q[i]))) return false;
  const [m, n] = [s, t].map((text) => [...text.matchAll(/(?:([a-z_-]+)[/])?(\\d+)/gi)]);
  return m.every(([, path, number], i) => {
    const [c, d] = [bare(number), bare(n[i][2])];
    if (path || named(key)) return known(c, d) || renamed(path ? "/" + word(path) : thing(key, above), c, d);
    return number === n[i][2] || known(c, d);
  });
};
const epoch = (n) => (n > 1e9 && n < 5e9) || (n > 1e12 && n < 5e12);
const alike = (a, b, key, above) => {
  if (a === "[redacted]") return true;
  if (typeof a === "string" && typeof b === "string") return texts(a, b, key, above);
  const [m, n] = [digits(a), digits(b)];
  if (m !== undefined && n !== undefined) return named(key) ? renamed(thing(key, above), m, n) : m === n || (epoch(+m) && epoch(+n)) || (m.length > 15 && known(m, n));
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => alike(item, b[i], key, above));
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object" || Array.isArray(b)) return a === b;
  const [k, l] = [Object.keys(a).sort(), Object.keys(b).sort()];
  return k.length === l.length && k.every((name, i) => name === l[i] && alike(a[name], b[name], name, word(key) || above));
};
const bodies = (a, b, of) => {
  const [x, y] = [parsed(a), parsed(b)];
  return x && y ? alike(x.value, y.value, "", of || "") : texts(a, b, "", "");
};
const setBases = (...urls) => { bases = urls.filter(Boolean).sort((a, b) => b.length - a.length); };
if (command === "uri") out(encodeURIComponent(args[0]));
else if (command === "text") out(JSON.stringify(args[0]).slice(1, -1));
else if (command === "json") {
  let at = parsed(read(args[0]))?.value;
  for (const key of JSON.parse(args[1])) at = at === null || at === undefined ? undefined : at[key];
  if (at === undefined || at === null) missing("value at " + args[1] + " in the answer");
  out(typeof at === "string" ? at : digits(at) ?? JSON.stringify(at));
} else if (command === "header" || command === "segment") {
  const value = headers(args[0], args[1]).pop();
  if (value === undefined) missing("header " + args[1] + " in the answer");
  const path = value.replace(/^https?:\\/\\/[^/?#]*/, "");
  out(command === "header" ? value : decodeURIComponent(path.split(/[?#]/)[0].split("/").filter(Boolean).pop() || ""));
} else if (command === "cookie") {
  const found = headers(args[0], "set-cookie").map((one) => one.split(";")[0]).filter((one) => one.startsWith(args[1] + "=")).pop();
  if (found === undefined) missing("cookie " + args[1] + " in the answer");
  out(found.slice(args[1].length + 1));
} else if (command === "reach") {
  const { hostname, port, protocol } = new URL(args[0]);
  const socket = require("net").connect(Number(port) || (protocol === "https:" ? 443 : 80), hostname.replace(/[[\\]]/g, ""));
  socket.setTimeout(10000, () => process.exit(3)).on("connect", () => process.exit(0)).on("error", () => process.exit(3));
} else if (command === "same") {
  const [dir, file, url, ...taken] = args;
  const { base, known, answers } = JSON.parse(read(file));
  setBases(base, url);
  seeds = known.map((value, i) => [value, taken[i]]);
  const same = answers.every(({ number, status, body, of }) =>
    status === read(dir + "/" + number + ".status") && (body === undefined || bodies(body, read(dir + "/" + number + ".body"), of)));
  process.exit(same ? 10 : 11);
}`;

/**
 * The JavaScript part of the scripts for races. In addition to {@link HELPER}, this code compares the answers with the outcome of the race and with
 * the outcomes of the calls one after another. With `equal`, both calls are of one action, so their answers may be swapped. Exit codes: 10: the race
 * occurred. 11: the outcome of an order occurred. 12: an order gives the same answers as the race, so answers prove nothing. 13: another outcome
 * occurred.
 */
export const RACE_HELPER: string = `${HELPER}
if (command === "race") {
  const { equal, observed, allowed, base } = JSON.parse(read(args[1]));
  setBases(base, args[2]);
  const put = (map, entries) => { map.clear(); for (const [key, value] of entries) map.set(key, value); };
  const fits = (wanted, got) => {
    put(there, []); put(back, []);
    const assign = (at, used) => at === wanted.length || got.some((one, i) => {
      if (used.includes(i) || (!equal && i !== at) || wanted[at].status !== one.status) return false;
      const before = [[...there], [...back]];
      if ((wanted[at].body === undefined || bodies(wanted[at].body, one.body || "", wanted[at].of)) && assign(at + 1, [...used, i])) return true;
      put(there, before[0]); put(back, before[1]);
      return false;
    });
    return assign(0, []);
  };
  if (allowed.some((outcome) => fits(outcome, observed))) process.exit(12);
  const got = observed.map(({ number }) => ({ status: read(args[0] + "/" + number + ".status"), body: read(args[0] + "/" + number + ".body") }));
  process.exit(allowed.some((outcome) => fits(outcome, got)) ? 11 : fits(observed, got) ? 10 : 13);
}`;
