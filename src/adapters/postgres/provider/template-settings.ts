import { rowsOf } from "../schema/catalog.ts";
import type { Queryable } from "../connect/mode.ts";
import { quoteName, quoteText } from "../connect/sql-text.ts";

const LISTS = new Set([
  "local_preload_libraries",
  "search_path",
  "session_preload_libraries",
  "shared_preload_libraries",
  "temp_tablespaces",
  "unix_socket_directories",
]);
const SETTING_NAME = /^[a-z_][a-z0-9_$]*(?:\.[a-z_][a-z0-9_$]*)*$/i;

/**
 * Returns SQL statements that give a copied database the properties that CREATE DATABASE and pg_dump do not copy: privileges, and the settings of
 * ALTER DATABASE and ALTER ROLE ... IN DATABASE. The caller ignores statements that its role is not allowed to execute.
 */
export async function templateSettings(client: Queryable, template: string, copy: string): Promise<string[]> {
  const [of, to] = [quoteText(template), quoteName(copy)];
  const settings = await rowsOf<[role: string | null, setting: string]>(
    client,
    `select r.rolname, unnest(s.setconfig) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase left join pg_roles r on r.oid = s.setrole
      where d.datname = ${of} and (s.setrole = 0 or r.oid is not null)`,
  );
  const grants = await rowsOf<[role: string | null, privilege: string, grantable: string]>(
    client,
    `select r.rolname, a.privilege_type, a.is_grantable::text from pg_database d, aclexplode(d.datacl) a left join pg_roles r on r.oid = a.grantee
      where d.datname = ${of} and (a.grantee = 0 or r.oid is not null)`,
  );
  return [
    ...settings.flatMap(([role, setting]) => {
      const name = setting.slice(0, setting.indexOf("="));
      const whose = role === null ? `alter database ${to}` : `alter role ${quoteName(role)} in database ${to}`;
      return SETTING_NAME.test(name) ? [`${whose} set ${name} to ${settingValue(name, setting.slice(name.length + 1))}`] : [];
    }),
    ...(grants.length > 0 ? [`revoke all on database ${to} from public`] : []),
    ...grants
      .filter(([, privilege]) => ["CONNECT", "CREATE", "TEMPORARY"].includes(privilege))
      .map(
        ([role, privilege, grantable]) =>
          `grant ${privilege} on database ${to} to ${role === null ? "public" : quoteName(role)}${grantable === "true" ? " with grant option" : ""}`,
      ),
  ];
}

function settingValue(name: string, value: string): string {
  if (!LISTS.has(name.toLowerCase())) return quoteText(value);
  const elements = [...value.matchAll(/"((?:[^"]|"")*)"|[^",\s]+/g)].map((match) => match[1]?.replaceAll('""', '"') ?? match[0]);
  return elements.length === 0 ? "''" : elements.map(quoteText).join(", ");
}
