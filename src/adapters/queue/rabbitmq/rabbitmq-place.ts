import { decoded } from "../../../model/http/decoded.ts";
import { SeqqaError } from "../../../model/errors.ts";

/** A virtual host of a RabbitMQ server. */
export interface RabbitmqPlace {
  /** For clients, without the parameters of seqqa's own. */
  readonly url: string;
  readonly vhost: string;
  readonly user: string;
  readonly password: string;
  /** URL of the management API, without a slash at its end. */
  readonly management: string;
  /** `true` if the URL named the management API itself. */
  readonly namesManagement: boolean;
}

/**
 * Reads `amqp://[user:password@]host[:port][/vhost][?management=<url>]`, `amqps:` with TLS. The management API's default port is 15672, with TLS 15671.
 * @throws SeqqaError `RABBITMQ_URL_INVALID` that does not show the URL
 */
export function rabbitmqPlace(url: string): RabbitmqPlace {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^amqps?:$/.test(parsed.protocol) || parsed.hostname === "") throw invalid("it is not an amqp: URL");
  const named = parsed.searchParams.get("management");
  if (named !== null && (!URL.canParse(named) || !/^https?:\/\//.test(named))) throw invalid("management is no URL of HTTP");
  if (named !== null && new URL(named).username !== "") throw invalid("management has a user of its own");
  parsed.searchParams.delete("management");
  const isTls = parsed.protocol === "amqps:";
  const host = `${isTls ? "https" : "http"}://${parsed.hostname}:${isTls ? 15671 : 15672}`;
  return {
    url: parsed.href,
    vhost: decoded(parsed.pathname.slice(1)) || "/",
    user: decoded(parsed.username) || "guest",
    password: decoded(parsed.password) || "guest",
    management: (named ?? host).replace(/\/+$/, ""),
    namesManagement: named !== null,
  };
}

/** Returns the URL of another virtual host of the server, with credentials: for targets and drivers only. */
export function urlOfVhost(place: RabbitmqPlace, vhost: string): string {
  const url = new URL(place.url);
  url.pathname = `/${encodeURIComponent(vhost)}`;
  if (place.namesManagement) url.searchParams.set("management", place.management);
  return url.href;
}

/** Returns a text for people: without user and password. */
export function shownRabbitmq({ url, vhost }: RabbitmqPlace): string {
  return `RabbitMQ at ${new URL(url).host} (virtual host ${vhost})`;
}

function invalid(why: string): SeqqaError {
  return new SeqqaError("RABBITMQ_URL_INVALID", `The URL of a RabbitMQ store cannot be used: ${why}.`, {
    hint: "Write amqp://host:5672/vhost, with user:password@ before the host where there are any, and ?management=http://host:15672 for another port of the management API.",
    exitStatus: 2,
  });
}
