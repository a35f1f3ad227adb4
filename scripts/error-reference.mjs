// Makes docs/errors.md from the sources: every error code with its messages and their hints. Values that a message is filled with stand in angle
// brackets. `--check` writes nothing and fails if the page is out of date.
//
// A message is found where an error is made: `new SeqqaError(code, message, { hint })`, or an object with `code` and `message`. If a part of the error is a
// parameter of the function around it, the calls of this function give the part, also over several functions. Both branches of a conditional expression
// are shown; branches of the same condition belong together.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const CODE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
/** Codes of drivers and of Node, which some errors copy. */
const FOREIGN = /^(?:ERR?_|UND_ERR_|SQLITE_(?!WITHOUT_))/;
/** The largest number of texts that one expression may have. */
const MOST_TEXTS = 12;
/** The largest number of functions through which a part of an error is followed. */
const MOST_CALLS = 4;
/** The largest number of calls whose parts of one error are read. */
const MOST_READS = 500;
/** The largest depth of expressions that are read. */
const DEEPEST = 24;
/** Methods and functions that return their text with changes that a reader need not see. */
const SAME_TEXT =
  /^(?:at|filter|flat|flatMap|join|JSON|map|oneLine|printable|quoted|replace|replaceAll|shortened|shown|slice|sort|String|stringify|substring|toFixed|toISOString|toLocaleString|toLowerCase|toReversed|toSorted|toString|toUpperCase|toUTCString|trim|trimEnd|withoutPasswords|withoutSecrets|withoutUserPart)$/;

/** Explanations of errors whose messages come from the code of the user, or from the system. */
const OF_RUNS = {
  ACTION_NO_RESPONSE: [
    "An action returned no response of a client.",
    "Return the response of the client, or `null` if the action does not apply.",
  ],
  ACTION_THREW: ["The code of an action threw an error.", "Fix the action. The report shows the stack trace and the path."],
  CLIENT_THREW: ["seqqa could not create a client for a lane.", "Fix the `world` factory, or the options of the client."],
  INVARIANT_NOT_BOOLEAN: [
    "`check` of an invariant returned a value other than `true` and `false`.",
    "Return a boolean, or `{ ok, actual, expected }`.",
  ],
  INVARIANT_THREW: [
    "The code of an invariant threw an error.",
    "Fix the invariant. If the invariant does not apply to some states, return `true` in these states.",
  ],
  INVARIANT_WROTE: [
    "`check` of an invariant changed a store.",
    "Send only reading requests in `check`. If the API writes to a table when it answers such a request, for example to a log, list the table under `ignore`. If the written data matters, for example in a cache, write the check as `new Rule({ writes: true, judge })`.",
  ],
  LANE_FAILED: [
    "A lane ended with an error that seqqa did not expect.",
    "Read the message of the unexpected error. If your code did not cause the error, report a defect of seqqa.",
  ],
  LOGIN_THREW: ["The login of a client threw an error.", "Fix the login. The report shows the stack trace."],
  PRECONDITION_NOT_BOOLEAN: ["A precondition returned a value other than `true` and `false`.", "Return a boolean."],
  PRECONDITION_THREW: ["The code of a precondition threw an error.", "Use `context.has(key)` before `context.get(key)`."],
  PROBE_THREW: ["The function `probe` of the World threw an error.", "Fix `probe`, so that the function works in every state."],
  RESET_THREW: ["The function `reset` of the World threw an error.", "Fix `reset`, so that the function works in every state."],
  SETUP_THREW: [
    "The function `setup` of the exploration threw an error.",
    "Fix `setup`. seqqa calls `setup` once for each lane, before the root state.",
  ],
  STRAY_REJECTION: ["A promise in your code was rejected, but nothing awaited it.", "Add the missing `await`."],
  TARGET_OVERLOADED: [
    "The target refused requests because of overload for longer than seqqa waits.",
    "Use fewer lanes, or raise the target's limits.",
  ],
  UNCAUGHT_EXCEPTION: ["Your code threw an error outside of every call that seqqa awaits.", "Fix the code that the stack trace names."],
  WORKER_LOST: [
    "The thread or process of a lane ended unexpectedly.",
    "The message says how the thread or process ended. Usual causes are native modules and memory limits.",
  ],
  WORLD_THREW: ["The `world` factory threw an error.", "Fix the factory. seqqa calls the factory once for each lane."],
};

const page = join(root, "docs/errors.md");
const sources = readSources();
const methods = methodsByName();
let callers = new Map();
/** The functions whose parameters were read without a value since the variable was last set. */
let touched = new Set();

findCallers();
const text = errorReference();
if (!existsSync(page) || readFileSync(page, "utf8") !== text) {
  if (process.argv.includes("--check")) {
    console.error("docs/errors.md is out of date: run node scripts/error-reference.mjs");
    process.exitCode = 1;
  } else writeFileSync(page, text);
}

/** Returns the text of docs/errors.md. */
function errorReference() {
  const codes = new Map();
  for (const [code, [sentence, hint]] of Object.entries(OF_RUNS)) add(codes, code, sentence, hint);
  for (const source of sources.values()) {
    each(source, (node) => {
      const site = siteOf(node);
      if (site !== undefined) report(codes, { ...site, reads: 0 }, new Map(), 0);
    });
  }
  const rows = [...codes].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const parts = rows.map(([code, sentences]) => `## ${code}\n\n${withoutVariants(sentences).map(entry).join("\n")}\n`);
  return `# Errors

Every error of seqqa has a code, which stays the same between versions. Each heading is a code. The items below it are the messages of this code; the line or list below a message says what to do. Words in angle brackets stand for values. This page is made from the sources by \`node scripts/error-reference.mjs\`.

${parts.join("\n")}`;
}

/** Returns the lines of a message: the message, and below it its hint, or a list if it can have several hints. */
function entry([sentence, all]) {
  const hints = [...all].map(escaped);
  if (hints.length < 2) return [`- ${escaped(sentence)}`, ...hints.map((hint) => `  ${hint}`)].join("\n");
  return [`- ${escaped(sentence)}`, ...hints.map((hint) => `  - ${hint}`)].join("\n");
}

/** Returns the messages of a code. Messages that differ only in what stands in front, such as the place in a file, are one message. */
function withoutVariants(sentences) {
  const groups = new Map();
  for (const [sentence, hints] of sentences) {
    const rest = sentence.replace(/^(?:(?:<[^>]*>|the file):?\s+)+/, "");
    groups.set(rest, [...(groups.get(rest) ?? []), [sentence, hints]]);
  }
  return [...groups.values()].map((group) => {
    const [sentence] = group.find(([one]) => one.startsWith("<key> ")) ?? group.toSorted(([a], [b]) => a.length - b.length)[0];
    return [sentence, new Set(group.flatMap(([, hints]) => [...hints]))];
  });
}

function readSources() {
  const files = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
    .filter(({ name }) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();
  return new Map(files.map((file) => [file, ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true)]));
}

function each(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => each(child, visit));
}

/** Returns the parts of an error that `node` makes; `undefined` if it makes none. */
function siteOf(node) {
  if (ts.isNewExpression(node) && node.expression.getText() === "SeqqaError") return siteOfArguments(node.arguments ?? []);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword && extendsSeqqaError(node))
    return siteOfArguments(node.arguments);
  if (!ts.isObjectLiteralExpression(node)) return undefined;
  const [code, message] = [propertyOf(node, "code"), propertyOf(node, "message")];
  return code === undefined || message === undefined ? undefined : { code, message, hint: propertyOf(node, "hint") };
}

function siteOfArguments([code, message, options]) {
  if (code === undefined || message === undefined) return undefined;
  return { code, message, hint: options !== undefined && ts.isObjectLiteralExpression(options) ? propertyOf(options, "hint") : undefined };
}

function extendsSeqqaError(node) {
  const owner = around(node, ts.isClassDeclaration);
  return owner?.heritageClauses?.some(({ types }) => types.some(({ expression }) => expression.getText() === "SeqqaError")) === true;
}

/** Returns the value of a property in an object literal. */
function propertyOf(object, name) {
  for (const property of object.properties) {
    if (property.name?.getText() !== name) continue;
    if (ts.isPropertyAssignment(property)) return property.initializer;
    if (ts.isShorthandPropertyAssignment(property)) return property.name;
  }
  return undefined;
}

/**
 * Adds the messages of an error to `codes`.
 * @param frame The call through which each function is entered, by function.
 */
function report(codes, site, frame, calls) {
  const { code, message, hint } = site;
  touched = new Set();
  site.reads++;
  const given = [code, message, ...(hint === undefined ? [] : [hint])].map((part) => texts(part, frame, 0));
  const open = [...touched].find((one) => callers.has(one));
  if (open !== undefined && calls < MOST_CALLS && site.reads < MOST_READS) {
    for (const call of callers.get(open)) report(codes, site, new Map(frame).set(open, call), calls + 1);
    return;
  }
  const [ofCode, ofMessage, ofHint = [{ text: undefined, when: new Map() }]] = given;
  for (const one of ofCode) {
    if (one.text === undefined || !CODE.test(one.text) || FOREIGN.test(one.text)) continue;
    for (const sentence of ofMessage) {
      const together = both(one.when, sentence.when);
      if (together === undefined || sentence.text === undefined || !isSentence(sentence.text)) continue;
      for (const { text: help, when } of ofHint) if (both(together, when) !== undefined) add(codes, one.text, sentence.text, help);
    }
  }
}

function add(codes, code, sentence, hint) {
  if (!codes.has(code)) codes.set(code, new Map());
  const sentences = codes.get(code);
  if (!sentences.has(sentence)) sentences.set(sentence, new Set());
  if (hint !== undefined && hint.trim() !== "") sentences.get(sentence).add(hint);
}

/** Returns `true` if a text says something itself, and does not only pass the message of another error on. */
function isSentence(text) {
  return (text.replaceAll(/<[^>]*>/g, "").match(/[A-Za-z]{2,}/g) ?? []).length >= 2;
}

/**
 * Returns the texts that an expression can have. Each has the conditions under which it occurs, as a map of condition and result. A text that is not
 * known is `undefined`, with the node that stands for it.
 */
function texts(node, frame, depth) {
  const next = (one) => texts(one, frame, depth + 1);
  if (depth > DEEPEST) return unknown(node);
  if (ts.isStringLiteralLike(node)) return [{ text: node.text, when: new Map() }];
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node) || ts.isSatisfiesExpression(node))
    return next(node.expression);
  if (ts.isConditionalExpression(node)) {
    const key = conditionOf(node);
    return [...under(next(node.whenTrue), key, true), ...under(next(node.whenFalse), key, false)];
  }
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.flatMap(({ expression, literal }) => [
      inSentence(expression, frame, depth),
      [{ text: literal.text, when: new Map() }],
    ]);
    return joined([[{ text: node.head.text, when: new Map() }], ...spans]);
  }
  if (ts.isBinaryExpression(node)) return ofBinary(node, frame, depth);
  if (ts.isIdentifier(node)) return ofIdentifier(node, frame, depth);
  if (ts.isElementAccessExpression(node)) return ofElement(node, frame, depth);
  if (ts.isCallExpression(node)) return ofCall(node, frame, depth);
  return unknown(node);
}

/** Returns a text for the condition of a conditional expression. Equal conditions in one function have the same text. */
function conditionOf(node) {
  const source = node.getSourceFile();
  const { pos } = around(node, ts.isFunctionLike) ?? source;
  return `${source.fileName} ${pos} ${node.condition.getText()}`;
}

function unknown(node) {
  return [{ text: undefined, node, when: new Map() }];
}

/** Returns the texts that can occur under a condition, with this condition. */
function under(all, condition, result) {
  return all
    .filter(({ when }) => (when.get(condition) ?? result) === result)
    .map((one) => ({ ...one, when: new Map(one.when).set(condition, result) }));
}

/** Returns the conditions of two texts together; `undefined` if they contradict each other. */
function both(a, b) {
  for (const [condition, result] of b) if ((a.get(condition) ?? result) !== result) return undefined;
  return new Map([...a, ...b]);
}

/** Returns all texts that consist of one text of each part. */
function joined(parts) {
  let all = [{ text: "", when: new Map() }];
  for (const part of parts) {
    const longer = all.flatMap((one) =>
      part.flatMap((other) => {
        const when = both(one.when, other.when);
        return when === undefined ? [] : [{ text: one.text + other.text, when }];
      }),
    );
    if (longer.length > 0) all = longer.slice(0, MOST_TEXTS);
  }
  return all;
}

function ofBinary(node, frame, depth) {
  const { left, right, operatorToken } = node;
  if (operatorToken.kind === ts.SyntaxKind.PlusToken) return joined([inSentence(left, frame, depth), inSentence(right, frame, depth)]);
  return isAlternative(node) ? [...texts(left, frame, depth + 1), ...texts(right, frame, depth + 1)] : unknown(node);
}

/** Returns `true` for `a ?? b` and `a || b`. */
function isAlternative(node) {
  if (!ts.isBinaryExpression(node)) return false;
  return node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken || node.operatorToken.kind === ts.SyntaxKind.BarBarToken;
}

function ofIdentifier(node, frame, depth) {
  const found = node.text === "undefined" ? undefined : declarationOf(node);
  // A value without a text is called like the variable.
  const asVariable = (all) => all.map((one) => (one.text === undefined ? { ...one, node } : one));
  if (found?.kind === "value") return asVariable(texts(found.node, frame, depth + 1));
  if (found?.kind === "item") return asVariable(ofItem(found.node, found.index, frame, depth + 1));
  if (found?.kind !== "parameter") return unknown(node);
  const call = frame.get(found.owner);
  if (call === undefined) {
    touched.add(found.owner);
    return unknown(node);
  }
  const argument = call.arguments?.[found.index];
  const isPart = found.property !== undefined;
  const isObject = argument !== undefined && ts.isObjectLiteralExpression(argument);
  const value = isObject && isPart ? propertyOf(argument, found.property) : undefined;
  const given = (isPart ? value : argument) ?? found.parameter.initializer;
  return given === undefined ? unknown(node) : asVariable(texts(given, frame, depth + 1));
}

/** Returns the texts of one item of a list, which can depend on a condition: `const [a, b] = isX ? [...] : [...]`. */
function ofItem(node, index, frame, depth) {
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return ofItem(node.expression, index, frame, depth);
  if (ts.isArrayLiteralExpression(node) && node.elements[index] !== undefined) return texts(node.elements[index], frame, depth);
  if (!ts.isConditionalExpression(node)) return unknown(node);
  const key = conditionOf(node);
  return [
    ...under(ofItem(node.whenTrue, index, frame, depth + 1), key, true),
    ...under(ofItem(node.whenFalse, index, frame, depth + 1), key, false),
  ];
}

/** Returns the texts of `TABLE[key]`: those of the key if its text is known, else those of all keys. */
function ofElement(node, frame, depth) {
  let table = ts.isIdentifier(node.expression) ? declarationOf(node.expression)?.node : undefined;
  while (table !== undefined && (ts.isAsExpression(table) || ts.isSatisfiesExpression(table))) table = table.expression;
  if (table === undefined || !ts.isObjectLiteralExpression(table)) return unknown(node);
  const keys = texts(node.argumentExpression, frame, depth + 1).flatMap((one) => (one.text === undefined ? [] : [one.text]));
  const rows = table.properties.filter((one) => ts.isPropertyAssignment(one));
  const chosen = keys.length === 0 ? rows : rows.filter(({ name }) => keys.includes(name.text));
  const all = chosen.flatMap(({ initializer }) => texts(initializer, frame, depth + 1));
  return all.length > 0 ? all : unknown(node);
}

function ofCall(node, frame, depth) {
  const { expression } = node;
  // `Object.entries` is not the function `entries` of seqqa.
  if (ts.isPropertyAccessExpression(expression) && expression.expression.getText() === "Object") return unknown(node);
  if (ts.isPropertyAccessExpression(expression) && SAME_TEXT.test(expression.name.text) && expression.name.text !== "stringify")
    return texts(expression.expression, frame, depth + 1);
  const [argument] = node.arguments;
  if (ts.isIdentifier(expression) && SAME_TEXT.test(expression.text) && argument !== undefined) return texts(argument, frame, depth + 1);
  const [called, ...others] = functionsOf(expression, new Set());
  if (called === undefined || others.length > 0 || frame.has(called)) return unknown(node);
  const inner = new Map(frame).set(called, node);
  const all = returnsOf(called).flatMap((one) => texts(one, inner, depth + 4));
  const known = all.filter((one) => one.text !== undefined);
  return known.length > 0 && known.length <= MOST_TEXTS / 2 ? known : unknown(node);
}

/** Returns the expressions that a function returns. */
function returnsOf(called) {
  if (called.body === undefined) return [];
  if (!ts.isBlock(called.body)) return [called.body];
  const found = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node)) return;
    if (ts.isReturnStatement(node) && node.expression !== undefined) found.push(node.expression);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(called.body, visit);
  return found;
}

/** Returns the texts of an expression within a sentence: phrases as they are, and a name in angle brackets for all other values. */
function inSentence(node, frame, depth) {
  // The second part of `shown || "nothing"` only replaces a missing value.
  if (isAlternative(node)) return inSentence(node.left, frame, depth + 1);
  const declared = ts.isIdentifier(node) ? declarationOf(node) : undefined;
  const plural = pluralOf(declared?.kind === "value" ? declared.node : node);
  if (plural !== undefined) return inSentence(plural, frame, depth + 1);
  const all = texts(node, frame, depth + 1);
  const name = (one) => [{ text: `<${named(one)}>`, when: new Map() }];
  const isWritten =
    ts.isConditionalExpression(node) || ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isBinaryExpression(node);
  if (!isWritten) {
    if (all.some((one) => one.text === undefined)) return name(all.length === 1 ? (all[0].node ?? node) : node);
    // A single word is a value, such as a kind of store. A call that can return several texts is a value, too.
    if (ts.isCallExpression(node) && all.length > 1) return name(node);
    if (all.every((one) => !/\s/.test(one.text))) return name(node);
  }
  const filled = all.map((one) => (one.text === undefined ? { ...one, text: `<${named(one.node ?? node)}>` } : one));
  // A part that can be missing is shown.
  const present = filled.filter((one) => one.text !== "");
  return present.length > 0 ? present : filled;
}

/** Returns the branch for several things of `count === 1 ? "row" : "rows"`; `undefined` for other expressions. */
function pluralOf(node) {
  if (!ts.isConditionalExpression(node)) return undefined;
  const condition = node.condition.getText();
  if (condition.endsWith("=== 1") && !condition.includes("&&")) return node.whenFalse;
  return /(?:!==|>) 1$/.test(condition) && !condition.includes("&&") ? node.whenTrue : undefined;
}

/** Returns the name of a value in a sentence. */
function named(node) {
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node) || ts.isAwaitExpression(node))
    return named(node.expression);
  if (ts.isConditionalExpression(node)) return named(ts.isStringLiteralLike(node.whenTrue) ? node.whenFalse : node.whenTrue);
  if (ts.isTemplateExpression(node)) return named(node.templateSpans[0].expression);
  if (ts.isElementAccessExpression(node)) return named(node.expression);
  if (ts.isNewExpression(node) && node.arguments?.[0] !== undefined) return named(node.arguments[0]);
  if (ts.isBinaryExpression(node)) {
    const isDivision = node.operatorToken.kind === ts.SyntaxKind.SlashToken;
    // The sentence names the unit of what is divided: `${limitMs / 1000} s`.
    return isDivision ? named(node.left).replace(/ (?:ms|bytes)$/, "") : named(node.left);
  }
  if (ts.isPropertyAccessExpression(node)) {
    if (/^(?:length|size)$/.test(node.name.text)) return "number";
    if (!/^(?:name|shown|text|value)$/.test(node.name.text)) return words(node.name.text);
    const owner = named(node.expression);
    return /^(?:definition|filled|options|settings|this)$/.test(owner) ? words(node.name.text) : owner;
  }
  if (ts.isCallExpression(node)) {
    const { expression } = node;
    const isMethod = ts.isPropertyAccessExpression(expression) && expression.name.text !== "stringify";
    if (isMethod) return SAME_TEXT.test(expression.name.text) ? named(expression.expression) : words(expression.name.text);
    const [argument] = node.arguments;
    const of = ts.isIdentifier(expression) ? /^(\w+)Of$/.exec(expression.text)?.[1] : undefined;
    if (of !== undefined) return words(of);
    if (/^how[A-Z]/.test(expression.getText())) return words(expression.getText());
    return argument === undefined || ts.isStringLiteralLike(argument) ? words(expression.getText()) : named(argument);
  }
  return ts.isIdentifier(node) ? words(node.text) : words(node.getText().match(/[A-Za-z]\w*/)?.[0] ?? "value");
}

function words(name) {
  const plain = name.replace(/^#/, "");
  return (/[a-z]/.test(plain) ? plain.replaceAll(/([A-Z])/g, " $1") : plain.replaceAll("_", " ")).toLowerCase();
}

/** Finds the calls of each function. A function that is passed as an argument is called where its parameter is called, so this takes several rounds. */
function findCallers() {
  const calls = [];
  for (const source of sources.values()) each(source, (node) => void (ts.isCallExpression(node) && calls.push(node)));
  for (let round = 0; round < MOST_CALLS; round++) {
    const found = new Map();
    for (const call of calls) {
      for (const called of functionsOf(call.expression, new Set())) {
        if (!found.has(called)) found.set(called, []);
        found.get(called).push(call);
      }
    }
    callers = found;
  }
}

/** Returns the functions that an expression can be. @param seen the parameters that were looked at before */
function functionsOf(node, seen) {
  if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return [node];
  if (ts.isPropertyAccessExpression(node)) return methodOf(node);
  const found = ts.isIdentifier(node) ? declarationOf(node) : undefined;
  if (found?.kind === "function") return [found.node];
  if (found?.kind === "value") return ts.isIdentifier(found.node) ? [] : functionsOf(found.node, seen);
  if (found?.kind !== "parameter" || found.property !== undefined || seen.has(found.parameter)) return [];
  seen.add(found.parameter);
  const given = (callers.get(found.owner) ?? []).flatMap((call) => call.arguments?.[found.index] ?? []);
  return [...new Set(given.flatMap((one) => functionsOf(one, seen)))];
}

/** Returns the method that `this.name` or `other.name` is, if its name is the only one among all classes. */
function methodOf({ expression, name }) {
  const own = expression.kind === ts.SyntaxKind.ThisKeyword ? around(expression, ts.isClassLike) : undefined;
  const all = (methods.get(name.text) ?? []).filter((one) => own === undefined || around(one, ts.isClassLike) === own);
  return all.length === 1 ? all : [];
}

/** Returns the methods of all classes, and their properties that are functions, by name. */
function methodsByName() {
  const found = new Map();
  const put = (name, node) => found.set(name, [...(found.get(name) ?? []), node]);
  for (const source of sources.values()) {
    each(source, (node) => {
      if (ts.isMethodDeclaration(node) && ts.isClassLike(node.parent) && node.body !== undefined) put(node.name.text, node);
      if (ts.isPropertyDeclaration(node) && node.initializer !== undefined && ts.isArrowFunction(node.initializer))
        put(node.name.text, node.initializer);
    });
  }
  return found;
}

/**
 * Returns the declaration of a name: a function, a variable with its value, an item of a list that is a variable's value, or a parameter. `undefined`
 * for names that are declared in another way.
 */
function declarationOf(identifier) {
  const name = identifier.text;
  for (let scope = identifier.parent; scope !== undefined; scope = scope.parent) {
    if (ts.isFunctionLike(scope)) {
      for (const [index, parameter] of scope.parameters.entries()) {
        if (ts.isIdentifier(parameter.name) && parameter.name.text === name) return { kind: "parameter", owner: scope, index, parameter };
        const part = ts.isObjectBindingPattern(parameter.name) ? elementOf(parameter.name, name) : undefined;
        if (part !== undefined)
          return { kind: "parameter", owner: scope, index, parameter, property: (part.propertyName ?? part.name).getText() };
      }
    }
    const found = declaredIn(scope, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function elementOf(pattern, name) {
  return pattern.elements.find((one) => ts.isBindingElement(one) && one.name.getText() === name);
}

/** Returns the declaration of a name among the statements of a block or file. */
function declaredIn(scope, name) {
  for (const statement of scope.statements ?? []) {
    if (ts.isFunctionDeclaration(statement) && statement.name?.text === name && statement.body !== undefined)
      return { kind: "function", node: statement };
    if (ts.isVariableStatement(statement)) {
      for (const { name: own, initializer } of statement.declarationList.declarations) {
        if (ts.isIdentifier(own) && own.text === name)
          return initializer === undefined ? { kind: "other" } : { kind: "value", node: initializer };
        const part = ts.isIdentifier(own) ? undefined : elementOf(own, name);
        if (part === undefined) continue;
        const isList = ts.isArrayBindingPattern(own) && initializer !== undefined;
        return isList ? { kind: "item", node: initializer, index: own.elements.indexOf(part) } : { kind: "other" };
      }
    }
    if (ts.isImportDeclaration(statement)) {
      const bindings = statement.importClause?.namedBindings;
      const part = bindings !== undefined && ts.isNamedImports(bindings) && bindings.elements.find((one) => one.name.text === name);
      if (part) return exportedFrom(fileOf(statement), (part.propertyName ?? part.name).text, 0) ?? { kind: "other" };
    }
  }
  return undefined;
}

/** Returns the declaration of a name that a file exports, also if the file exports it from another file. */
function exportedFrom(source, name, depth) {
  if (source === undefined || depth > DEEPEST) return undefined;
  const own = declaredIn(source, name);
  if (own !== undefined) return own;
  for (const statement of source.statements) {
    if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined) continue;
    const { exportClause } = statement;
    if (exportClause !== undefined && !ts.isNamedExports(exportClause)) continue;
    const part = exportClause?.elements.find((one) => one.name.text === name);
    if (exportClause !== undefined && part === undefined) continue;
    const found = exportedFrom(fileOf(statement), part === undefined ? name : (part.propertyName ?? part.name).text, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the source file that a statement imports or exports from; `undefined` for packages. */
function fileOf({ moduleSpecifier }) {
  if (!moduleSpecifier.text.startsWith(".")) return undefined;
  return sources.get(join(dirname(moduleSpecifier.getSourceFile().fileName), moduleSpecifier.text));
}

/** Returns the nearest node around `node` that `is` accepts. */
function around(node, is) {
  let found = node.parent;
  while (found !== undefined && !is(found)) found = found.parent;
  return found;
}

/** Escapes characters that Markdown would read, except in code. */
function escaped(text) {
  const parts = text.replaceAll("\n", " ").trim().split("`");
  return parts.map((part, index) => (index % 2 === 0 ? part.replaceAll("<", "\\<").replaceAll("*", "\\*") : part)).join("`");
}
