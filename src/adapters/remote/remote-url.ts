import { SeqqaError } from "../../model/errors.ts";

export interface RemoteUrl {
  readonly origin: string;
  /** The path without a slash at its end. */
  readonly path: string;
  /** The `Authorization` header for `http://user:password@host`. The credentials are stored nowhere else. */
  readonly authorization: string | undefined;
}

/** Parses the URL under which a target serves its checkpoint routes. @throws SeqqaError `REMOTE_URL_INVALID` */
export function parseRemoteUrl(text: unknown): RemoteUrl {
  if (typeof text !== "string" || text === "")
    throw invalid("A RemoteAdapter was created without the URL under which the target serves its checkpoints: its option url is missing.");
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    // Do not set a cause, because the message of the original error quotes the URL with its password.
    const shown = JSON.stringify(text.replace(/\/\/[^/?#]*@/, "//"));
    if (text.startsWith("/")) throw invalid(`The URL ${shown} of a RemoteAdapter has no host, because the lane's target has no HTTP URL.`);
    throw invalid(`The option url of a RemoteAdapter is ${shown}, which is not a valid URL.`);
  }
  const shown = JSON.stringify(url.origin + url.pathname);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw invalid(`The URL of a RemoteAdapter begins with ${url.protocol}, but must begin with http: or https:.`);
  if (url.search !== "" || url.hash !== "")
    throw invalid(`The URL ${shown} of a RemoteAdapter has a query (?...) or a fragment (#...), which is not allowed.`);
  const { username, password } = url;
  const credentials = `${decoded(username)}:${decoded(password)}`;
  return {
    origin: url.origin,
    path: url.pathname.replace(/\/+$/, ""),
    authorization: username === "" && password === "" ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function invalid(message: string): SeqqaError {
  return new SeqqaError("REMOTE_URL_INVALID", message, {
    exitStatus: 2,
    hint: 'Pass `url: lane.baseUrl + "/__seqqa"`. lane.baseUrl needs `target.command`, `base_url` or `lanes` in seqqa.yaml.',
  });
}
