import type { RequestOptions } from "../../../model/http/client.ts";
import type { ApiResponse } from "../../../model/http/response.ts";

export abstract class Verbs {
  abstract request(method: string, path: string, options?: RequestOptions): Promise<ApiResponse>;

  get(path: string, options?: RequestOptions): Promise<ApiResponse> {
    return this.request("GET", path, options);
  }

  post(path: string, options?: RequestOptions): Promise<ApiResponse> {
    return this.request("POST", path, options);
  }

  put(path: string, options?: RequestOptions): Promise<ApiResponse> {
    return this.request("PUT", path, options);
  }

  patch(path: string, options?: RequestOptions): Promise<ApiResponse> {
    return this.request("PATCH", path, options);
  }

  delete(path: string, options?: RequestOptions): Promise<ApiResponse> {
    return this.request("DELETE", path, options);
  }

  head(path: string, options?: RequestOptions): Promise<ApiResponse> {
    return this.request("HEAD", path, options);
  }

  options(path: string, options?: RequestOptions): Promise<ApiResponse> {
    return this.request("OPTIONS", path, options);
  }
}
