export { HttpClient } from "./http-client.ts";
export type { HttpClientOptions } from "./http-client.ts";
export type { ConnectionOptions } from "./connection-options.ts";
export type { FetchHandler } from "./fetch-transport.ts";
export type { RetryOptions } from "./retry.ts";
export { ApiResponse } from "../../model/response.ts";
export type { ApiRequest } from "../../model/response.ts";
export type { ApiClient, MultipartPart, MultipartValue, RequestOptions } from "../../model/client.ts";
