import requests from "undici/lib/api/index.js";
import Connector from "undici/lib/core/connect.js";
import coreErrors from "undici/lib/core/errors.js";
import ClientClass from "undici/lib/dispatcher/client.js";
import DispatcherClass from "undici/lib/dispatcher/dispatcher.js";
import ProxyAgentClass from "undici/lib/dispatcher/env-http-proxy-agent.js";
import PoolClass from "undici/lib/dispatcher/pool.js";
import type * as undici from "undici";

/*
 * Load only the parts of undici that send requests. The index of undici also loads fetch, WebSocket, caches and mocks, which takes 140 of the 270 ms
 * in which a lane's thread starts (measured). These files are not a documented entry point, so the version of undici is pinned to a patch range.
 */
Object.assign(DispatcherClass.prototype as object, requests);

export const Client: typeof undici.Client = ClientClass;
export const Pool: typeof undici.Pool = PoolClass;
export const EnvHttpProxyAgent: typeof undici.EnvHttpProxyAgent = ProxyAgentClass;
export const buildConnector: typeof undici.buildConnector = Connector;
export const errors: typeof undici.errors = coreErrors;

export type Client = undici.Client;
export type Pool = undici.Pool;
