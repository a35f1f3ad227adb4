import type { ChannelModel } from "amqplib";
import { driverMissing, unreachable } from "../failures.ts";
import { SeqqaError } from "../../../model/errors.ts";
import { shownRabbitmq, type RabbitmqPlace } from "./rabbitmq-place.ts";

/** Timeout in milliseconds for connecting. A server that has just started on a busy machine may take more than 10 seconds. */
const CONNECT_MS = 30_000;

/** Connects to a virtual host. @throws SeqqaError `DRIVER_MISSING`, `STORE_UNREACHABLE`, `STORE_NOT_ALLOWED`, `STORE_MISSING` */
export async function connectRabbitmq(place: RabbitmqPlace): Promise<ChannelModel> {
  const { connect } = await import("amqplib").catch((cause: unknown) => {
    throw driverMissing("amqplib", "RabbitMQ", cause);
  });
  try {
    const connection = await connect(place.url, { clientProperties: { connection_name: "seqqa" }, timeout: CONNECT_MS, noDelay: true });
    // An `error` event without a listener would crash the process. Pending calls reject with the same error.
    connection.on("error", () => undefined);
    return connection;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const where = shownRabbitmq(place);
    if (/ACCESS[-_]REFUSED/.test(text)) {
      throw new SeqqaError("STORE_NOT_ALLOWED", `${where} refused the login of the user in the store's URL.`, {
        hint: "Check the user and the password in the store's URL.",
        exitStatus: 2,
      });
    }
    // For a missing or forbidden virtual host, the server closes the connection without an error that says so.
    if (/ConnectionOpenOk|NOT_ALLOWED/.test(text)) {
      throw new SeqqaError(
        "STORE_MISSING",
        `${where} does not know this virtual host, or the user is not allowed to use the virtual host.`,
        {
          hint: "Check the virtual host, which is the path of the store's URL. List the permissions of the virtual host with: rabbitmqctl list_permissions -p <vhost>.",
          exitStatus: 2,
        },
      );
    }
    throw unreachable(where, error, [place.password]);
  }
}
