/**
 * Queues as stores: BullMQ, RabbitMQ and NATS JetStream. The jobs are part of the state; a worker's part is played by the actions of {@link queueActions}.
 * Read `job.ts` first, then `message-adapter.ts`: how a broker is saved and restored.
 *
 * @module
 */
export { BullmqAdapter, type BullmqAdapterOptions } from "./bullmq/bullmq-adapter.ts";
export type { QueueJob, QueueStore, Settlement, TakenJob } from "./job.ts";
export { NatsAdapter, type NatsAdapterOptions } from "./nats/nats-adapter.ts";
export { queueActions, type QueueActionsOptions } from "./queue-actions.ts";
export { RabbitmqAdapter, type RabbitmqAdapterOptions } from "./rabbitmq/rabbitmq-adapter.ts";
