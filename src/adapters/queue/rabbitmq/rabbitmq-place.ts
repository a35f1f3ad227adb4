import { decoded } from "../../../model/http/decoded.ts";
import { SeqqaError } from "../../../model/errors.ts";

export interface RabbitmqPlace {
  /** The URL for clients, without seqqa's own parameters. */
  readonly url: string;
  readonly vhost: string;
  readonly user: string;
  readonly password: string;
  /** The URL of the management API, without a slash at its end. */
  readonly management: string;
  /** `true` if the store's URL contains the URL of the management API. */
  readonly namesManagement: boolean;
}

/**
 * Parses `amqp://[user:password@]host[:port][/vhost][?management=<url>]`; `amqps:` uses TLS. The management API's default port is 15672, with TLS
 * 15671.
 * @throws SeqqaError `RABBITMQ_URL_INVALID`. The message does not contain the URL, which may have a password.
 */
export function rabbitmqPlace(url: string): RabbitmqPlace {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^amqps?:$/.test(parsed.protocol) || parsed.hostname === "")
    throw invalid("it does not begin with amqp: or amqps:");
  const named = parsed.searchParams.get("management");
  if (named !== null && (!URL.canParse(named) || !/^https?:\/\//.test(named)))
    throw invalid("its parameter `management` is not an HTTP URL");
  if (named !== null && new URL(named).username !== "") throw invalid("the URL in its parameter `management` contains a user");
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

/** Returns the URL of another virtual host of the server. The URL contains credentials, so it must only be given to targets and drivers. */
export function urlOfVhost(place: RabbitmqPlace, vhost: string): string {
  const url = new URL(place.url);
  url.pathname = `/${encodeURIComponent(vhost)}`;
  if (place.namesManagement) url.searchParams.set("management", place.management);
  return url.href;
}

/** Returns a description for messages, without user and password. */
export function shownRabbitmq({ url, vhost }: RabbitmqPlace): string {
  return `RabbitMQ at ${new URL(url).host} (virtual host ${vhost})`;
}

function invalid(why: string): SeqqaError {
  return new SeqqaError("RABBITMQ_URL_INVALID", `The URL of a RabbitMQ store is not valid: ${why}.`, {
    hint: "Write amqp://host:5672/vhost, or amqp://user:password@host:5672/vhost for a login. Add ?management=http://host:15672 if the management API has another port.",
    exitStatus: 2,
  });
}
