// Generates docs/errors.md from the sources: every error code with its messages and hints. Values that are inserted into a message are shown in angle
// brackets. `--check` writes nothing and fails if the page is out of date.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const CODE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
/** Matches codes of drivers and of Node, which messages of seqqa only mention, and names of variables. */
const FOREIGN = /^(?:ERR?_|UND_ERR_|SQLITE_|TX_|SEQQA_|GITHUB_|API_|HTTPS?_|NODE_|NO_|FORCE_|TRANSACTION_|EAI_)/;
const SHOWN = 4;

/** Errors of steps and lanes. Their messages come from the error that was thrown, so the page describes them by these texts instead. */
const OF_RUNS = {
  ACTION_NO_RESPONSE: [
    "An action returned no response of a client.",
    "Return what the client answered, or `null` where the action did not apply.",
  ],
  ACTION_THREW: ["The code of an action threw.", "Fix the action; the report shows the stack and the path."],
  CLIENT_THREW: ["A client could not be made for a lane.", "Fix the `world` factory, or the options of the client."],
  INVARIANT_NOT_BOOLEAN: [
    "`check` of an invariant returned something else than `true` or `false`.",
    "Return a boolean, or `{ ok, actual, expected }`.",
  ],
  INVARIANT_THREW: [
    "The code of an invariant threw.",
    "Fix the invariant. Data that cannot be read in a state is not a violation by itself.",
  ],
  INVARIANT_WROTE: ["`check` of an invariant changed a store.", "Read only, or list what a read writes under `ignore`."],
  LANE_FAILED: ["A lane ended with an error that seqqa did not expect.", "The message is the message of that error."],
  LOGIN_THREW: ["The login of a client threw.", "Fix the login; the report shows the stack."],
  PRECONDITION_NOT_BOOLEAN: ["A precondition returned something else than `true` or `false`.", "Return a boolean."],
  PRECONDITION_THREW: ["The code of a precondition threw.", "Use `context.has(key)` before `context.get(key)`."],
  PROBE_THREW: ["The World's `probe` threw.", "Fix the probe; it must work in every state."],
  RESET_THREW: ["The World's `reset` threw.", "Fix the reset; it must work in every state."],
  SETUP_THREW: ["`setup` threw.", "Fix `setup`; it runs once per lane, before the root state."],
  STRAY_REJECTION: ["A promise of the user's code was rejected without being awaited.", "Add the missing `await`."],
  TARGET_OVERLOADED: [
    "The target refused requests because of load for longer than seqqa waits.",
    "Use fewer lanes, or raise the target's limits.",
  ],
  UNCAUGHT_EXCEPTION: ["The user's code threw outside of any call that is awaited.", "Fix the code that the stack names."],
  WORKER_LOST: [
    "The thread or process of a lane ended.",
    "The message says how it ended; native modules and memory limits are usual causes.",
  ],
  WORLD_THREW: ["The `world` factory threw.", "Fix it; it runs once per lane."],
};

const page = join(root, "docs/errors.md");
const text = errorReference();
if (!existsSync(page) || readFileSync(page, "utf8") !== text) {
  if (process.argv.includes("--check")) {
    console.error("docs/errors.md is out of date: run node scripts/error-reference.mjs");
    process.exitCode = 1;
  } else writeFileSync(page, text);
}

/** Returns the text of docs/errors.md. */
function errorReference() {
  const codes = new Map(Object.entries(OF_RUNS).map(([code, [sentence, hint]]) => [code, new Map([[sentence, hint]])]));
  for (const { parentPath, name } of readdirSync(join(root, "src"), { recursive: true, withFileTypes: true }))
    if (name.endsWith(".ts") && !name.endsWith(".d.ts")) read(join(parentPath, name), codes);
  const rows = [...codes].filter(([, sentences]) => sentences.size > 0).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const parts = rows.map(([code, sentences]) => {
    const shown = [...sentences].slice(0, SHOWN);
    const lines = shown.map(([sentence, hint]) => `- ${escaped(sentence)}${hint === undefined ? "" : `\n  ${escaped(hint)}`}`);
    const more = sentences.size - shown.length;
    return `## ${code}\n\n${lines.join("\n")}${more > 0 ? `\n- and ${more} more` : ""}\n`;
  });
  return `# Errors

Every error of seqqa has a code, which stays the same between versions. Below each code are its messages, and what to do. Values are in angle brackets. This page is made from the sources by \`node scripts/error-reference.mjs\`.

${parts.join("\n")}`;
}

function read(file, codes) {
  const text = readFileSync(file, "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.arguments !== undefined) take(node.arguments, codes);
    ts.forEachChild(node, visit);
  };
  visit(source);
}

function take([first, ...others], codes) {
  if (first === undefined || !ts.isStringLiteral(first) || !CODE.test(first.text) || FOREIGN.test(first.text)) return;
  const texts = others.map(textOf);
  const sentence = texts.find((one) => one !== undefined && /\s/.test(one));
  if (sentence === undefined) return;
  const given = others.map(hintOf).find((one) => one !== undefined) ?? texts.find((one) => one !== undefined && one !== sentence);
  const sentences = codes.get(first.text) ?? new Map();
  if (!codes.has(first.text)) codes.set(first.text, sentences);
  if (!sentences.has(sentence)) sentences.set(sentence, given);
}

function hintOf(node) {
  if (!ts.isObjectLiteralExpression(node)) return undefined;
  const hint = node.properties.find((one) => ts.isPropertyAssignment(one) && one.name.getText() === "hint");
  return hint === undefined ? undefined : textOf(hint.initializer);
}

/** Returns a text as readers see it; `undefined` if the node is no text. */
function textOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression);
  if (ts.isConditionalExpression(node)) return textOf(node.whenTrue) ?? textOf(node.whenFalse);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [a, b] = [textOf(node.left), textOf(node.right)];
    return a === undefined && b === undefined ? undefined : `${a ?? named(node.left)}${b ?? named(node.right)}`;
  }
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ expression, literal }) => filled(expression) + literal.text).join("");
}

/** Returns the text that the page shows for a value that is inserted into a message. */
function filled(node) {
  const text = ts.isConditionalExpression(node) ? textOf(node) : undefined;
  return text ?? named(node);
}

function named(node) {
  const names = node.getText().match(/[A-Za-z]\w*/g) ?? [];
  const word =
    names.findLast((one) => !/^(?:length|size|toString|join|map|String|JSON|stringify|name|shown|undefined|quoted|plural)$/.test(one)) ??
    "value";
  const words = /[a-z]/.test(word) ? word.replaceAll(/([A-Z])/g, " $1") : word.replaceAll("_", " ");
  return `<${words.toLowerCase()}>`;
}

/** Escapes characters that Markdown would interpret, except in code. */
function escaped(text) {
  const parts = text.replaceAll("\n", " ").trim().split("`");
  return parts.map((part, index) => (index % 2 === 0 ? part.replaceAll("<", "\\<").replaceAll("*", "\\*") : part)).join("`");
}
