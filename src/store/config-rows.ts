import { sourceOf, withoutUserPart, type Config } from "../config/index.ts";
import { redactor } from "../reports/index.ts";

export interface ConfigRow {
  readonly key: string;
  /** JSON. */
  readonly value: string;
  readonly source: string;
}

/** Maps of these hold secrets as often as not: their names are kept alone. */
const ENVIRONMENT = "env";
/** Parts of `target.warm_up` of which the same is true. */
const SENT = new Set(["headers", "json"]);
/** What is said by other rows, or says nothing of the run. */
const LEFT_OUT = new Set(["sources", "ca", "allowedStores"]);

/** The configuration as the store keeps it: a row for each value, in the order of its declaration, without what is secret in it. */
export function configRows(config: Config): readonly ConfigRow[] {
  const hide = redactor(config.report.redact);
  const rows: ConfigRow[] = [];
  const visit = (path: readonly string[], value: unknown): void => {
    const name = path.at(-1)!;
    if (LEFT_OUT.has(name) || value === undefined) return;
    if (typeof value === "object" && value !== null && !Array.isArray(value) && name !== ENVIRONMENT) {
      for (const [member, inside] of Object.entries(value)) visit([...path, member], inside);
      return;
    }
    const key = path.map(snakeCase).join(".");
    const shown = withoutEnvironments(hide.value({ [name]: value }) as Record<string, unknown>)[name] ?? null;
    rows.push({ key, value: JSON.stringify(withoutUserParts(shown)), source: sourceOf(config, key) });
  };
  for (const [name, value] of Object.entries(config)) visit([name], value);
  return rows;
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function withoutUserParts(value: unknown): unknown {
  if (typeof value === "string") return withoutUserPart(value);
  if (Array.isArray(value)) return value.map(withoutUserParts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutUserParts(member)]));
}

function namesOf(value: unknown): unknown {
  return typeof value === "object" && value !== null ? Object.keys(value) : null;
}

function withoutEnvironments<T>(value: T): T {
  const visit = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(visit);
    if (typeof one !== "object" || one === null) return one;
    return Object.fromEntries(
      Object.entries(one).map(([name, member]) => [name, name === ENVIRONMENT || SENT.has(name) ? namesOf(member) : visit(member)]),
    );
  };
  return visit(value) as T;
}
