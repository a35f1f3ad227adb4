import fc from "fast-check";
import ts from "typescript";
import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Json, PlannedAction, PlannedLogin, PlannedValue, ScaffoldPlan } from "../../../../src/scaffold/infer/plan.ts";
import { size } from "../../../sizes.ts";
import { newFolder, scaffold, textOf } from "./folder.ts";
import { action, operation, plan } from "./plans.ts";
import { codePoint } from "../../../support/code-point.ts";

/** Every name that generated code may use beside those of its own declarations. */
const KNOWN = new Set(
  [
    "Action ApiClient ApiResponse Agent Keys Resource User MOST_OF_A_KIND actions agent resources users all",
    "api context response request get post put patch delete head options data email uuid username name phone password word",
    "has getRequired set ok status statusCode headers json run tags precondition setup invariants filter includes",
    "read lastSegment fromEnvironment logIn credentials alice bob user token key setAuthToken setBasicAuth setHeader",
    "segment Promise encodeURIComponent String Number JSON stringify Error undefined URL meta url join default length",
    "conformsTo createdMeansAvailable idempotent leakage listAgreesWithItem noServerErrors ownership rejectedMeansUnchanged",
    "resourceHierarchy retrySafe useAfterFree sessionEnds singleUse create use after logout login check keepsCurrent catch shared",
    "except Context given Given givenKeys setKeys K keys register World HttpClient lane fetch baseUrl headers origin client clients basePath replace delete as",
    // support.ts, which has nothing of the description.
    "process env Readonly Record T path value Object hasOwn split findLast segment last decoded decodeURIComponent otherwise",
    "test text parse withExactIntegers part startsWith isSafeInteger",
    "const URLSearchParams toString content filename contentType",
  ].flatMap((line) => line.split(" ")),
);
/** Names as the plan gives them. */
const NAMES = ["a", "delete", "create_order", "new", "await", "encode_u_r_i_component", "read", "actions", "api2"];
const KEYS = ["order_id", "class", "__proto__", "x", "response", "context"];
const GROUPS = ["orders", "index", "2fa", "default", "con-1"];
/** What becomes of them in code, without numbers. */
const OWN = new Set(
  [
    "a aValue await new class deleteAction createOrder newAction awaitAction encodeURIComponentAction readAction actionsAction api apiAction action",
    "orderId classValue proto x responseValue contextValue value orders index indexFile filefa file defaultFile con",
  ].flatMap((line) => line.split(" ")),
);

const hostile = fc.oneof(
  fc.constantFrom(
    '"; pwned(); "',
    "*/ pwned(); /*",
    "\n*/\npwned();\n/*",
    "`; pwned(); `",
    "${pwned()}",
    "\\${pwned()}",
    "\\`${pwned()}`",
    "\\",
    '\\"; pwned(); //',
    "\u2028pwned()",
    "\u2029*/pwned()",
    "</script><script>pwned()",
    "<!-- pwned -->",
    "__proto__",
    "constructor",
    "@ts-nocheck pwned",
    "#!/pwned",
    "\u202epwned",
    "\ud800",
    "{pwned}",
    "a|b\n| pwned |",
    "${HOME}",
    "http://x/${HOME}",
    "",
    "a".repeat(300),
  ),
  fc.string({ unit: codePoint }),
  fc.string({ unit: "grapheme" }),
  fc.string().map((text) => `${text}/{a}`),
);
const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    hostile,
    fc.constantFrom<Json>(null, true, 0, -1.5, Number.NaN, Number.POSITIVE_INFINITY),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(hostile, tie("value"), { maxKeys: 3 }),
  ),
})).value;
const value: fc.Arbitrary<PlannedValue> = fc.letrec<{ value: PlannedValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    json.map((of): PlannedValue => ({ kind: "constant", value: of })),
    fc.constantFrom(...KEYS).map((key): PlannedValue => ({ kind: "context", key })),
    fc.constantFrom("email" as const, "uuid" as const, "word" as const).map((call): PlannedValue => ({ kind: "drawn", call })),
    fc.record({ kind: fc.constant("environment" as const), name: hostile, otherwise: hostile }),
    fc.array(tie("value"), { maxLength: 3 }).map((items): PlannedValue => ({ kind: "list", items })),
    fc.array(fc.tuple(hostile, tie("value")), { maxLength: 3 }).map((entries): PlannedValue => ({ kind: "object", entries })),
  ),
})).value;
const key = fc.constantFrom(...KEYS);
const planned: fc.Arbitrary<PlannedAction> = fc
  .record({
    method: fc.constantFrom("get" as const, "post" as const, "delete" as const, "trace" as const),
    path: hostile,
    summary: fc.option(hostile, { nil: undefined }),
    tags: fc.array(hostile, { maxLength: 2 }),
    deprecated: fc.boolean(),
    secured: fc.boolean(),
    name: fc.constantFrom(...NAMES),
    group: fc.constantFrom(...GROUPS),
    kind: fc.constantFrom("create" as const, "read" as const, "delete" as const),
    resource: fc.option(hostile, { nil: undefined }),
    parameters: fc.array(
      fc.record({
        name: hostile,
        in: fc.constantFrom("path" as const, "query" as const, "header" as const, "cookie" as const),
        value,
        why: hostile,
      }),
      { maxLength: 4 },
    ),
    body: fc.option(
      fc.record({
        as: fc.constantFrom("json" as const, "form" as const, "multipart" as const, "text" as const),
        mediaType: hostile,
        value,
      }),
      { nil: undefined },
    ),
    needs: fc.array(key, { maxLength: 2 }),
    produces: fc.array(
      fc.oneof(
        fc.record({ key, from: fc.constant("body" as const), path: fc.array(fc.oneof(hostile, fc.nat()), { maxLength: 2 }) }),
        fc.record({ key, from: fc.constant("location" as const) }),
        fc.record({ key, from: fc.constant("sent" as const), value }),
      ),
      { maxLength: 2 },
    ),
    frees: fc.array(key, { maxLength: 2 }),
  })
  .map(({ method, path, summary, tags, deprecated, secured, name, ...more }) =>
    action(name, operation(method, path, { summary, tags, deprecated, security: secured ? [[{ scheme: "x", scopes: [] }]] : [] }), more),
  );
const login: fc.Arbitrary<PlannedLogin | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.record({ kind: fc.constant("bearer" as const), variable: hostile }),
  fc.record({ kind: fc.constant("basic" as const), userVariable: hostile, passwordVariable: hostile }),
  fc.record({
    kind: fc.constant("apiKey" as const),
    in: fc.constantFrom("header" as const, "query" as const, "cookie" as const),
    name: hostile,
    variable: hostile,
    scheme: fc.option(hostile, { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant("operation" as const),
    action: planned,
    userField: hostile,
    passwordField: hostile,
    token: fc.array(hostile, { maxLength: 2 }),
    header: fc.option(fc.record({ name: hostile, scheme: hostile }), { nil: undefined }),
    register: fc.option(fc.record({ action: planned, userField: hostile, passwordField: hostile }), { nil: undefined }),
  }),
);
/** The parts that refer to actions, by their places in the list. */
const places = fc.record({
  hasCookies: fc.boolean(),
  setup: fc.uniqueArray(fc.tuple(fc.constantFrom(...KEYS), fc.nat(5)), { maxLength: 3, selector: ([one]) => one }),
  leftOut: fc.array(fc.tuple(fc.nat(5), hostile), { maxLength: 2 }),
  singleUse: fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.boolean()), { maxLength: 2 }),
  sessionEnds: fc.option(fc.tuple(fc.nat(5), fc.array(fc.nat(5), { maxLength: 2 })), { nil: undefined }),
});
const plans: fc.Arbitrary<ScaffoldPlan> = fc
  .record({
    title: hostile,
    baseUrl: fc.option(hostile, { nil: undefined }),
    actions: fc.array(planned, { minLength: 1, maxLength: 6 }),
    resources: fc.array(
      fc.record({
        name: hostile,
        collection: hostile,
        item: hostile,
        id: fc.array(hostile, { maxLength: 2 }),
        can: fc.record({ create: fc.boolean(), list: fc.boolean(), delete: fc.boolean() }),
        parent: hostile,
      }),
      { maxLength: 2 },
    ),
    login,
    places,
    notInferred: fc.array(fc.record({ action: fc.constantFrom(...NAMES), what: hostile, hint: hostile }), { maxLength: 3 }),
    warnings: fc.array(hostile, { maxLength: 2 }),
  })
  .map(({ actions, places: { hasCookies, setup, leftOut, singleUse, sessionEnds }, ...more }) => {
    const at = (place: number): PlannedAction => actions[place % actions.length]!;
    return plan(actions, {
      ...more,
      keys: KEYS.map((one) => ({ key: one, type: "string" })),
      hasCookies,
      setup: setup.map(([one, place]) => ({ key: one, type: "string", unlocks: place, reached: place, example: at(place) })),
      leftOut: leftOut.map(([place, why]) => ({ action: at(place), why })),
      singleUse: singleUse.map(([create, use, isLinked]) => ({ what: "invitation", create: at(create), use: at(use), isLinked })),
      sessionEnds: sessionEnds && { check: at(sessionEnds[0]), logout: sessionEnds[1].map(at), after: [at(sessionEnds[0])] },
    });
  });

describe("whatever stands in a description", () => {
  it("stays in texts and comments of the code, and in values of the configuration", () => {
    fc.assert(
      fc.property(plans, hostile, (one, url) => {
        const directory = newFolder();
        const { files } = scaffold(one, directory, { description: { kind: "file", url, allowRefs: false } });
        try {
          for (const file of files) {
            expect(file).toMatch(/^(?:actions\/)?[a-z0-9.-]+$/i);
            if (file.endsWith(".ts")) checkCode(file, textOf(directory, file));
          }
          const config = parse(textOf(directory, "seqqa.yaml")) as Readonly<Record<string, unknown>>;
          expect(Object.keys(config)).toEqual(["base_url", "exploration", "report"]);
          expect(String(config["base_url"])).not.toMatch(/(?<!\$)\$\{/);
          checkReadme(textOf(directory, "README.md"), one);
          expect(scaffold(one, directory, { description: { kind: "file", url, allowRefs: false } }).files).toEqual([]);
        } finally {
          rmSync(directory, { recursive: true, force: true });
        }
      }),
      { numRuns: size(4, 3000) },
    );
  }, 600_000);
});

function checkCode(file: string, text: string): void {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true) as ts.SourceFile & {
    readonly parseDiagnostics: readonly ts.Diagnostic[];
  };
  expect(
    source.parseDiagnostics.map(({ messageText }) => messageText),
    `${file}\n${text}`,
  ).toEqual([]);
  expect(text, file).not.toMatch(/[\u2028\u2029\u202a-\u202e\u2066-\u2069]|<\/script|<!--/);
  for (const line of text.split("\n").filter((one) => /^\s*(?:\/\*|\*|\/\/)/.test(one))) expect(line, file).not.toContain("@ts-");
  const strangers: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && !isPropertyName(node) && !isKnown(node.text)) strangers.push(node.text);
    if (ts.isPropertyAssignment(node)) expect(node.name.getText(source), "a prototype").not.toMatch(/^["']?__proto__["']?$/);
    ts.forEachChild(node, visit);
  };
  visit(source);
  expect(strangers, `${file}\n${text}`).toEqual([]);
}

/** Of an object literal or an interface: it names nothing that there is. */
function isPropertyName(node: ts.Identifier): boolean {
  return (ts.isPropertyAssignment(node.parent) || ts.isPropertySignature(node.parent)) && node.parent.name === node;
}

function isKnown(name: string): boolean {
  const plain = name.replaceAll(/\d/g, "");
  return KNOWN.has(name) || KNOWN.has(plain) || OWN.has(plain);
}

function checkReadme(text: string, { actions, notInferred, resources, warnings, leftOut = [] }: ScaffoldPlan): void {
  const rows = text.split("\n").filter((line) => line.startsWith("|"));
  // The files, and three tables with heads of two lines; session.ts has a row of its own.
  const own = rows.filter((line) => /^\| (?:`[^`]+\.(?:ts|yaml|json)`|`actions\/`|file|action|resource|where|call|---) /.test(line));
  expect(rows.length - own.length, text).toBeLessThanOrEqual(actions.length + notInferred.length + resources.length + leftOut.length);
  expect(text.split("\n").filter((line) => /^-( |$)/.test(line))).toHaveLength(warnings.length);
  // No link, no image, no markup.
  expect(text.replaceAll(/\\./g, "").replaceAll(/`[^`]*`/g, "")).not.toMatch(/[<>[\]]/);
}
