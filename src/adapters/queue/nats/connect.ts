import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { decoded } from "../../../model/http/decoded.ts";
import { SeqqaError } from "../../../model/errors.ts";
import { driverMissing, unreachable } from "../failures.ts";

export interface JetStream {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
}

/**
 * Parses a NATS URL: `nats://[user:password@]host[:port]`, or `nats://token@host[:port]`.
 * @throws SeqqaError `NATS_URL_INVALID`. The message does not contain the URL, which may have a password.
 */
export function natsUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined && parsed.protocol === "nats:" && parsed.hostname !== "") return parsed;
  throw new SeqqaError("NATS_URL_INVALID", "The URL of a NATS store is not valid: it does not begin with nats:.", {
    hint: "Write nats://host:4222, or nats://user:password@host:4222 for a login.",
    exitStatus: 2,
  });
}

/** Returns a description for messages, without user and password. */
export const shownNats = (url: URL): string => `NATS at ${url.host}`;

/** Connects to a NATS server. @throws SeqqaError `DRIVER_MISSING`, `STORE_UNREACHABLE`, `STORE_UNSUPPORTED` if JetStream is not enabled */
export async function connectNats(url: URL): Promise<JetStream> {
  const [{ connect }, { jetstream, jetstreamManager }] = await Promise.all([
    import("@nats-io/transport-node"),
    import("@nats-io/jetstream"),
  ]).catch((cause: unknown) => {
    throw driverMissing("@nats-io/transport-node and @nats-io/jetstream", "NATS", cause);
  });
  const [user, password] = [decoded(url.username), decoded(url.password)];
  // In a NATS URL, a user without a password is a token.
  const login = user === "" ? {} : password === "" ? { token: user } : { user, pass: password };
  const secrets = [password === "" ? user : password];
  let connection: NatsConnection;
  try {
    connection = await connect({
      servers: url.host,
      name: "seqqa",
      reconnect: false,
      ...login,
    });
  } catch (error) {
    throw unreachable(shownNats(url), error, secrets);
  }
  try {
    return { connection, client: jetstream(connection), manager: await jetstreamManager(connection) };
  } catch (cause) {
    await connection.close();
    if ((cause as { readonly name?: unknown }).name !== "JetStreamNotEnabled") throw unreachable(shownNats(url), cause, secrets);
    throw new SeqqaError("STORE_UNSUPPORTED", `${shownNats(url)} runs without JetStream, so it stores no messages.`, {
      exitStatus: 2,
      hint: "Start the NATS server with JetStream: nats-server -js.",
      cause,
    });
  }
}
