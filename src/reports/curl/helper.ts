/**
 * The JavaScript part of the script, for Node 18 or newer. It reads JSON, headers and cookies of answers, encodes values, and compares answers. It
 * contains no single quotes, because the shell script puts it in single quotes. Times may differ from the recorded ones. Ids may differ if each
 * recorded id always corresponds to the same new id.
 */
export const HELPER = `const fs = require("fs");
const [command, ...args] = process.argv.slice(1);
const out = (text) => process.stdout.write(String(text));
const missing = (what) => { console.error("There is no " + what + "."); process.exit(3); };
const read = (file) => { try { return fs.readFileSync(file, "utf8"); } catch { return ""; } };
const headers = (file, name) => read(file).split(/\\r?\\n/).filter((line) => line.toLowerCase().startsWith(name + ":")).map((line) => line.slice(name.length + 1).trim());
const parsed = (text) => { try { return { value: JSON.parse(text) }; } catch { return undefined; } };
const TIME = /\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?(Z|[+-]\\d\\d:?\\d\\d)?/g;
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?=[A-Za-z_-]*\\d)[A-Za-z0-9_-]{16,}/gi;
const there = new Map(), back = new Map();
const renamed = (a, b) => {
  if (!there.has(a) && !back.has(b)) { there.set(a, b); back.set(b, a); }
  return there.get(a) === b && back.get(b) === a;
};
const texts = (a, b) => {
  if (a.includes("[redacted]")) return true;
  const [x, y] = [a, b].map((text) => text.replace(TIME, "<time>"));
  const [p, q] = [x.match(ID) || [], y.match(ID) || []];
  return p.length === q.length && x.replace(ID, "<id>") === y.replace(ID, "<id>") && p.every((id, i) => renamed(id, q[i]));
};
const epoch = (n) => (n > 1e9 && n < 5e9) || (n > 1e12 && n < 5e12);
const named = (key) => /(^|[_-])(id|no|number|ref)$|[a-z](Id|No|Number|Ref)$/.test(key);
const alike = (a, b, key) => {
  if (a === "[redacted]") return true;
  if (typeof a === "string" && typeof b === "string") return texts(a, b);
  if (typeof a === "number" && typeof b === "number") return named(key) ? renamed(a, b) : a === b || (epoch(a) && epoch(b));
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => alike(item, b[i], key));
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object" || Array.isArray(b)) return a === b;
  const [k, l] = [Object.keys(a).sort(), Object.keys(b).sort()];
  return k.length === l.length && k.every((name, i) => name === l[i] && alike(a[name], b[name], name));
};
const bodies = (a, b) => {
  const [x, y] = [parsed(a), parsed(b)];
  return x && y ? alike(x.value, y.value, "") : texts(a, b);
};
if (command === "uri") out(encodeURIComponent(args[0]));
else if (command === "text") out(JSON.stringify(args[0]).slice(1, -1));
else if (command === "json") {
  let at = parsed(read(args[0]))?.value;
  for (const key of JSON.parse(args[1])) at = at === null || at === undefined ? undefined : at[key];
  if (at === undefined || at === null) missing("value at " + args[1] + " in the answer");
  out(typeof at === "string" ? at : JSON.stringify(at));
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
  const same = JSON.parse(read(args[1])).every(({ number, status, body }) =>
    status === read(args[0] + "/" + number + ".status") && (body === undefined || bodies(body, read(args[0] + "/" + number + ".body"))));
  process.exit(same ? 10 : 11);
}`;

/**
 * The JavaScript part of the scripts for races. It also compares the answers with the outcome of the race and with the outcomes of the calls one
 * after another. With `equal`, both calls are of one action, so their answers may be swapped. Exit codes: 10: the race occurred. 11: the outcome of
 * an order occurred. 12: an order gives the same answers as the race, so answers prove nothing. 13: another outcome occurred.
 */
export const RACE_HELPER: string = `${HELPER}
if (command === "race") {
  const { equal, observed, allowed } = JSON.parse(read(args[1]));
  const put = (map, entries) => { map.clear(); for (const [key, value] of entries) map.set(key, value); };
  const fits = (wanted, got) => {
    put(there, []); put(back, []);
    const assign = (at, used) => at === wanted.length || got.some((one, i) => {
      if (used.includes(i) || (!equal && i !== at) || wanted[at].status !== one.status) return false;
      const before = [[...there], [...back]];
      if ((wanted[at].body === undefined || bodies(wanted[at].body, one.body || "")) && assign(at + 1, [...used, i])) return true;
      put(there, before[0]); put(back, before[1]);
      return false;
    });
    return assign(0, []);
  };
  if (allowed.some((outcome) => fits(outcome, observed))) process.exit(12);
  const got = observed.map(({ number }) => ({ status: read(args[0] + "/" + number + ".status"), body: read(args[0] + "/" + number + ".body") }));
  process.exit(allowed.some((outcome) => fits(outcome, got)) ? 11 : fits(observed, got) ? 10 : 13);
}`;
