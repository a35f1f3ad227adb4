import { Agent, type Dispatcher } from "undici";
import { connectionDefaults } from "../../network/connection-settings.ts";
import { environmentProxies } from "../../network/environment-proxies.ts";
import { proxyAgent } from "../../network/proxy-agent.ts";
import { secureContext } from "../../network/secure-context.ts";

export function connections(): Dispatcher {
  const { proxy, ca } = connectionDefaults();
  const proxies = proxy === "environment" ? environmentProxies() : undefined;
  if (proxies !== undefined) return proxyAgent(proxies, ca, -1);
  const context = secureContext(ca);
  return new Agent({ connect: { timeout: 10_000, ...(context !== undefined && { secureContext: context }) } });
}
