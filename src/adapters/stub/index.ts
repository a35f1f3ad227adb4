/**
 * Third parties of the target as stores: {@link HttpStub} for payment, mail and identity providers, {@link SmtpStub} for mail. Read `stub-adapter.ts`
 * first, which saves and restores stubs.
 *
 * @module
 */
export { HttpStub, type HttpStubOptions, type StubReplies } from "./http-stub.ts";
export { openStub, stores } from "./provider.ts";
export { SmtpStub, type StubMail } from "./smtp-stub.ts";
export { faultActions, webhookActions, type FaultActionsOptions, type WebhookActionsOptions } from "./stub-actions.ts";
export { STUB_FAULTS, type StubAnswer, type StubCall, type StubData, type StubFault, type Webhook } from "./stub-state.ts";
