import { SeqqaError } from "../../../model/errors.ts";
import type { Connection } from "../connect/driver.ts";

const SETTING = "notify-keyspace-events";
/** The flags of `notify-keyspace-events` for which `A` is a short form: every kind of key change. */
const ALL = "g$lshzxetd";

/** Adds to a value of `notify-keyspace-events` the flags that announce every change of every key. Existing flags are kept. */
export function withKeyspace(flags: string): string {
  return hasKeyspace(flags) ? flags : `${[...flags].filter((flag) => flag !== "K" && flag !== "A" && !ALL.includes(flag)).join("")}KA`;
}

export function hasKeyspace(flags: string): boolean {
  return flags.includes("K") && (flags.includes("A") || [...ALL].every((flag) => flags.includes(flag)));
}

/** Returns `true` if the server sends an event with the name of each key that expires, for which a target may wait. */
export function announcesExpiry(flags: string): boolean {
  return flags.includes("E") && /[xA]/.test(flags);
}

/** Returns the server's value of `notify-keyspace-events`; `undefined` if the user is not allowed to read it. */
export async function readNotifications(connection: Connection): Promise<string | undefined> {
  try {
    const reply = (await connection.text("CONFIG", "GET", SETTING)) as readonly string[];
    return reply[1];
  } catch (error) {
    if (mayNot(error)) return undefined;
    throw error;
  }
}

/** Sets `notify-keyspace-events` on the server. Returns `false` if the user is not allowed to change the setting. */
export async function setNotifications(connection: Connection, flags: string): Promise<boolean> {
  try {
    await connection.text("CONFIG", "SET", SETTING, flags);
    return true;
  } catch (error) {
    if (mayNot(error)) return false;
    throw error;
  }
}

/** Adds the missing flags to `notify-keyspace-events` on the server. Returns `true` if all changes are announced from now on. */
export async function ensureNotifications(connection: Connection): Promise<boolean> {
  const flags = await readNotifications(connection);
  return flags !== undefined && (hasKeyspace(flags) || (await setNotifications(connection, withKeyspace(flags))));
}

/** Returns `true` if a command failed because the user is not allowed to call it, or because the provider of a hosted server has renamed it. */
export function mayNot(error: unknown): boolean {
  return error instanceof SeqqaError && (error.code === "STORE_NOT_ALLOWED" || error.code === "STORE_FAILED");
}
