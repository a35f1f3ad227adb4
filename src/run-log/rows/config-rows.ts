import { sourceOf, withoutUserPart, type Config } from "../../config/index.ts";
import { redactor } from "../../reports/index.ts";

export interface ConfigRow {
  readonly key: string;
  /** The value of the configuration key, as JSON. */
  readonly value: string;
  readonly source: string;
}

/** Names of objects in the configuration whose values often contain secrets. Only the keys of these objects are stored. */
const NAMES_ALONE = new Set(["env", "headers", "json", "options"]);
/** Configuration keys that the table `config` leaves out, because other tables contain them or because they do not describe the run. */
const LEFT_OUT = new Set(["sources", "ca", "allowedStores"]);

/** Returns the configuration without secrets as rows of the run log, one row for each value. */
export function configRows(config: Config): readonly ConfigRow[] {
  const hide = redactor(config.report.redact);
  const rows: ConfigRow[] = [];
  const visit = (path: readonly string[], value: unknown): void => {
    const name = path.at(-1)!;
    if (LEFT_OUT.has(name) || value === undefined) return;
    if (typeof value === "object" && value !== null && !Array.isArray(value) && !NAMES_ALONE.has(name)) {
      for (const [member, inside] of Object.entries(value)) visit([...path, member], inside);
      return;
    }
    const key = path.map(snakeCase).join(".");
    const shown = withNamesAlone(hide.value({ [name]: value }) as Record<string, unknown>)[name] ?? null;
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

/** Returns the keys of an object; `null` for a text or number, `undefined` without a value. */
function namesOf(value: unknown): readonly string[] | null | undefined {
  if (value === undefined) return undefined;
  return typeof value === "object" && value !== null ? Object.keys(value) : null;
}

function withNamesAlone<T>(value: T): T {
  const visit = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(visit);
    if (typeof one !== "object" || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, NAMES_ALONE.has(name) ? namesOf(member) : visit(member)]));
  };
  return visit(value) as T;
}
