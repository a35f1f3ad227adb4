/**
 * Queues as stores: BullMQ, RabbitMQ and NATS JetStream. The jobs are part of the state. The actions of {@link queueActions} take the place of the
 * target's workers. Read `job.ts` first, then `message-adapter.ts`, which saves and restores brokers.
 *
 * @module
 */
export { BullmqAdapter, type BullmqAdapterOptions } from "./bullmq/bullmq-adapter.ts";
export type { QueueJob, QueueStore, Settlement, TakenJob } from "./job.ts";
export { NatsAdapter, type NatsAdapterOptions } from "./nats/nats-adapter.ts";
export { queueActions, type QueueActionsOptions } from "./queue-actions.ts";
export { RabbitmqAdapter, type RabbitmqAdapterOptions } from "./rabbitmq/rabbitmq-adapter.ts";
