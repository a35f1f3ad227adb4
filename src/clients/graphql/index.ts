export { GraphQLClient } from "./graphql-client.ts";
export type { GraphQLClientOptions, QueryOptions } from "./graphql-client.ts";
export { GraphQLResponse } from "./graphql-response.ts";
export type { GraphQLError } from "./graphql-response.ts";
