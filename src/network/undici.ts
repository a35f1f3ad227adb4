import { createRequire } from "node:module";
import type * as undici from "undici";

/*
 * Load only the parts of undici that send requests. The index of undici also loads fetch, WebSocket, caches and mocks, which takes 140 of the 270 ms
 * in which a lane's thread starts (measured). They are loaded by `require`, because an `import` of CommonJS also parses each file for the names of its
 * exports, which takes 80 ms instead of 30. These files are not a documented entry point, so the version of undici is pinned to a patch range.
 */
const require = createRequire(import.meta.url);

export const Client: typeof undici.Client = require("undici/lib/dispatcher/client.js") as never;
export const Pool: typeof undici.Pool = require("undici/lib/dispatcher/pool.js") as never;
export const EnvHttpProxyAgent: typeof undici.EnvHttpProxyAgent = require("undici/lib/dispatcher/env-http-proxy-agent.js") as never;
export const buildConnector: typeof undici.buildConnector = require("undici/lib/core/connect.js") as never;
export const errors: typeof undici.errors = require("undici/lib/core/errors.js") as never;

const { prototype } = require("undici/lib/dispatcher/dispatcher.js") as typeof undici.Dispatcher;
Object.assign(prototype, require("undici/lib/api/index.js"));

export type Client = undici.Client;
export type Pool = undici.Pool;
