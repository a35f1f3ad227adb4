import requests from "undici/lib/api/index.js";
import Connector from "undici/lib/core/connect.js";
import coreErrors from "undici/lib/core/errors.js";
import ClientClass from "undici/lib/dispatcher/client.js";
import DispatcherClass from "undici/lib/dispatcher/dispatcher.js";
import ProxyAgentClass from "undici/lib/dispatcher/env-http-proxy-agent.js";
import PoolClass from "undici/lib/dispatcher/pool.js";
import type * as undici from "undici";

/*
 * The parts of undici that send requests. Its index also loads fetch, WebSocket, caches and mocks, which takes most of the time that a lane's thread
 * needs to start (measured: 140 of 270 ms). Versions of undici are pinned to a patch range, because these files are not its documented entry.
 */
Object.assign(DispatcherClass.prototype as object, requests);

export const Client: typeof undici.Client = ClientClass;
export const Pool: typeof undici.Pool = PoolClass;
export const EnvHttpProxyAgent: typeof undici.EnvHttpProxyAgent = ProxyAgentClass;
export const buildConnector: typeof undici.buildConnector = Connector;
export const errors: typeof undici.errors = coreErrors;

export type Client = undici.Client;
export type Pool = undici.Pool;
