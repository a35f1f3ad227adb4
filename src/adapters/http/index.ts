export { HttpClient } from "./http-client.ts";
export type { HttpClientOptions } from "./http-client.ts";
export type { ConnectionOptions } from "./transport/connection-options.ts";
export type { FetchHandler } from "./transport/fetch-transport.ts";
export type { RetryOptions } from "./request/retry.ts";
export { ApiResponse } from "../../model/http/response.ts";
export type { ApiRequest } from "../../model/http/response.ts";
export type { ApiClient, MultipartPart, MultipartValue, RequestOptions } from "../../model/http/client.ts";
