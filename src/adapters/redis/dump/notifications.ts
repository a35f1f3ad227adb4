import { SeqqaError } from "../../../model/errors.ts";
import type { Connection } from "../connect/driver.ts";

const SETTING = "notify-keyspace-events";
/** The flags that `A` stands for: all that announce a change of a key. */
const ALL = "g$lshzxetd";

/** Returns the setting that announces every change on the channel of the key, and everything that was asked for before. */
export function withKeyspace(flags: string): string {
  return hasKeyspace(flags) ? flags : `${[...flags].filter((flag) => flag !== "K" && flag !== "A" && !ALL.includes(flag)).join("")}KA`;
}

export function hasKeyspace(flags: string): boolean {
  return flags.includes("K") && (flags.includes("A") || [...ALL].every((flag) => flags.includes(flag)));
}

/** Returns the present setting; `undefined` if this user may not see it. */
export async function readNotifications(connection: Connection): Promise<string | undefined> {
  try {
    const reply = (await connection.text("CONFIG", "GET", SETTING)) as readonly string[];
    return reply[1];
  } catch (error) {
    if (mayNot(error)) return undefined;
    throw error;
  }
}

/** @returns `true` if it could be set. */
export async function setNotifications(connection: Connection, flags: string): Promise<boolean> {
  try {
    await connection.text("CONFIG", "SET", SETTING, flags);
    return true;
  } catch (error) {
    if (mayNot(error)) return false;
    throw error;
  }
}

/** Turns on what is missing. @returns `true` if changes are announced from here on. */
export async function ensureNotifications(connection: Connection): Promise<boolean> {
  const flags = await readNotifications(connection);
  return flags !== undefined && (hasKeyspace(flags) || (await setNotifications(connection, withKeyspace(flags))));
}

/** Returns `true` if a command is not allowed, or renamed away as on hosted servers. */
export function mayNot(error: unknown): boolean {
  return error instanceof SeqqaError && (error.code === "STORE_NOT_ALLOWED" || error.code === "STORE_FAILED");
}
