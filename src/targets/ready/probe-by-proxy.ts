import type { EnvironmentProxies } from "../../network/environment-proxies.ts";
import { proxyAgent } from "../../network/proxy-agent.ts";
import type { Probe } from "./probe.ts";

const MOST_BYTES = 1024 * 1024;

/** Sends one GET through the proxies that environment variables name. Returns how the server answered. An answer of the proxy itself also counts. */
export async function probeByProxy(
  url: URL,
  timeoutMs: number,
  signal: AbortSignal,
  proxies: EnvironmentProxies,
  ca: readonly string[],
): Promise<Probe> {
  const agent = proxyAgent(proxies, ca, MOST_BYTES);
  const timeout = AbortSignal.timeout(timeoutMs);
  // Destroy the agent to end a pending connection attempt, because undici observes its abort signal only after a connection is open.
  const end = (): void => void agent.destroy();
  const over = AbortSignal.any([signal, timeout]);
  over.addEventListener("abort", end);
  try {
    const { statusCode, body } = await agent.request({ origin: url.origin, path: url.pathname + url.search, method: "GET", signal: over });
    body.on("error", () => undefined).destroy();
    return { kind: "answer", status: statusCode };
  } catch (error) {
    if (timeout.aborted)
      return { kind: "silent", error: Object.assign(new Error(`no answer within ${timeoutMs / 1000} s`), { code: "ETIMEDOUT" }) };
    const { code = "", name } = error as NodeJS.ErrnoException;
    return code.startsWith("HPE_") || name === "HTTPParserError" ? { kind: "garbage" } : { kind: "silent", error: error as Error };
  } finally {
    over.removeEventListener("abort", end);
    await agent.destroy();
  }
}
