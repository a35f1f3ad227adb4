import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { validate } from "@readme/openapi-parser";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readDescription } from "../../../../src/openapi/index.ts";
import { planScaffold } from "../../../../src/scaffold/infer/index.ts";
import { reachable } from "../../../../src/scaffold/infer/setup/choose-keys.ts";
import { full } from "../../../sizes.ts";

const require = createRequire(import.meta.url);
const examples = dirname(require.resolve("@readme/oas-examples/package.json"));
const github = join(dirname(require.resolve("@octokit/openapi/package.json")), "generated/api.github.com.json");
const options = { cwd: examples, allowRefs: false };

/** Without an operation. */
const NOTHING = /webhooks[.]|openapi-workshop.title[.]json/;

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

const files = ["2.0", "3.0", "3.1"].flatMap((version) =>
  (readdirSync(join(examples, version), { recursive: true }) as string[])
    .filter((path) => /\.(json|ya?ml)$/.test(path))
    .map((path) => join(version, path)),
);

/** All of them at full size; one of eight in the quick suite. */
const chosen = files.filter((file, index) => !NOTHING.test(file) && (full || index % 8 === 0));

/** By the libraries' own ways. */
function documentOf(file: string): Record<string, unknown> {
  const text = readFileSync(file, "utf8");
  return (file.endsWith(".json") ? JSON.parse(text) : parse(text)) as Record<string, unknown>;
}

/** Method and path of each operation, from the text alone. Path items that are references are followed by hand. */
function counted(file: string): readonly string[] {
  const document = documentOf(file) as { paths?: Record<string, Record<string, unknown>> };
  const follow = (item: Record<string, unknown>): Record<string, unknown> => {
    if (typeof item["$ref"] !== "string" || !item["$ref"].startsWith("#/")) return item;
    const keys = item["$ref"].slice(2).split("/");
    return keys.reduce<unknown>(
      (at, key) => (at as Record<string, unknown>)[key.replaceAll("~1", "/").replaceAll("~0", "~")],
      document,
    ) as Record<string, unknown>;
  };
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.keys(follow(item))
      .filter((key) => METHODS.includes(key))
      .map((method) => `${method} ${path}`),
  );
}

/** GitHub's takes a second to read. */
let githubs: ReturnType<typeof readDescription> | undefined;
const readGithub = (): ReturnType<typeof readDescription> => (githubs ??= readDescription(github, options));

describe("descriptions that others wrote", () => {
  it("are there", () => {
    expect(files.length).toBeGreaterThan(100);
  });

  it.each(chosen)("%s is read", async (file) => {
    const description = await readDescription(file, options);
    const found = description.operations.map(({ method, path }) => `${method} ${path}`);
    expect(found).toEqual(counted(join(examples, file)));
    expect(description.specification).toBe(documentOf(join(examples, file))[file.startsWith("2.0") ? "swagger" : "openapi"]);
    expect(description.warnings).toEqual([]);
  });

  // By a validator of others; one of them has an operation without answers. It compiles itself for each: every sixth one in the quick suite.
  it.each(chosen.filter((file) => file.endsWith(".json")).filter((_, index) => full || index % 6 === 0))(
    "%s is as valid in 3.1 as it was",
    async (file) => {
      const { document } = await readDescription(file, options);
      const before = await validate(documentOf(join(examples, file)) as never);
      expect(await validate(structuredClone(document) as never)).toMatchObject({ valid: before.valid });
    },
  );

  it.each(files.filter((file) => NOTHING.test(file)))("%s describes nothing that could be asked for", async (file) => {
    await expect(readDescription(file, options)).rejects.toMatchObject({ code: "DESCRIPTION_EMPTY", exitStatus: 2 });
  });

  it("GitHub's is read whole, with every reference leading somewhere", async () => {
    const description = await readGithub();
    expect(description.operations.map(({ method, path }) => `${method} ${path}`)).toEqual(counted(github));
    expect(description.operations.length).toBeGreaterThan(1200);
    expect(description.warnings).toEqual([]);
    const schemas = description.operations.flatMap(({ parameters, body, responses }) => [
      ...parameters.map(({ schema }) => schema),
      ...[body?.media, ...responses.map(({ media }) => media)].flatMap((media) => media ?? []).map(({ schema }) => schema ?? true),
    ]);
    expect(schemas.length).toBeGreaterThan(5000);
    for (const schema of schemas) expect(description.resolve(schema)).not.toHaveProperty("$ref");
  });

  // unit/scaffold/infer/choose-keys chooses keys of drawn descriptions.
  it.runIf(full)("GitHub's gives the ids of most operations, and asks for few keys that unlock most others", async () => {
    const { actions, setup = [] } = planScaffold(await readGithub());
    // 199 were reached when only names of single parameters were compared.
    expect(reachable(actions)).toBeGreaterThan(1000);
    expect(setup.length).toBeLessThanOrEqual(8);
    expect(setup.at(-1)!.reached).toBeGreaterThan(1100);
    const keysOf = (name: string): ReadonlySet<string> =>
      new Set(
        actions.flatMap(({ parameters }) =>
          parameters.flatMap((one) => (one.in === "path" && one.name === name && one.value.kind === "context" ? [one.value.key] : [])),
        ),
      );
    // {repo} of three operations is described in other words.
    expect([keysOf("org").size, keysOf("owner").size, keysOf("repo").size]).toEqual([1, 1, 2]);
  });
});
