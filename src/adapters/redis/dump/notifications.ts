import { SeqqaError } from "../../../model/errors.ts";
import type { Connection } from "../connect/driver.ts";

const SETTING = "notify-keyspace-events";
/** The flags that `A` includes: every kind of key change. */
const ALL = "g$lshzxetd";

/** Adds the flags that announce every change on the key's channel. Flags that were already set are kept. */
export function withKeyspace(flags: string): string {
  return hasKeyspace(flags) ? flags : `${[...flags].filter((flag) => flag !== "K" && flag !== "A" && !ALL.includes(flag)).join("")}KA`;
}

export function hasKeyspace(flags: string): boolean {
  return flags.includes("K") && (flags.includes("A") || [...ALL].every((flag) => flags.includes(flag)));
}

/** Returns the current setting; `undefined` if the user is not allowed to read it. */
export async function readNotifications(connection: Connection): Promise<string | undefined> {
  try {
    const reply = (await connection.text("CONFIG", "GET", SETTING)) as readonly string[];
    return reply[1];
  } catch (error) {
    if (mayNot(error)) return undefined;
    throw error;
  }
}

/** @returns `true` if the setting was changed */
export async function setNotifications(connection: Connection, flags: string): Promise<boolean> {
  try {
    await connection.text("CONFIG", "SET", SETTING, flags);
    return true;
  } catch (error) {
    if (mayNot(error)) return false;
    throw error;
  }
}

/** Adds missing notification flags. @returns `true` if changes are announced from now on */
export async function ensureNotifications(connection: Connection): Promise<boolean> {
  const flags = await readNotifications(connection);
  return flags !== undefined && (hasKeyspace(flags) || (await setNotifications(connection, withKeyspace(flags))));
}

/** Returns `true` if the error means that a command is forbidden, or renamed as on some hosted servers. */
export function mayNot(error: unknown): boolean {
  return error instanceof SeqqaError && (error.code === "STORE_NOT_ALLOWED" || error.code === "STORE_FAILED");
}
