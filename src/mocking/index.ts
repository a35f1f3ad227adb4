export { MockClient } from "./mock-client.ts";
export type { MockReplies } from "./mock-client.ts";
export type { MockCall } from "./mock-state.ts";
export type { ReplyOptions } from "./reply.ts";
