/**
 * A store that the target saves and restores itself, over HTTP: for APIs that keep their state in memory, in files, or in a store that seqqa has no
 * adapter for. A server of the protocol takes about thirty lines (`fixtures/remote/server.mjs`, `server.py`).
 *
 * ```ts
 * world: (lane) => new World({ systems: { app: new RemoteAdapter({ url: `${lane.baseUrl}/__seqqa` }) } })
 * ```
 *
 * | request | answer | what the target does |
 * |---|---|---|
 * | `POST {url}/checkpoint` | `{ "id": "7" }` | keeps a copy of its whole state under a new id, a string or a number |
 * | `POST {url}/rollback` with `{ "id": "7" }` | any 2xx | restores the whole state from that copy, which stays usable |
 * | `GET {url}/state` | any JSON | returns everything that makes two states different |
 *
 * - The copy must contain everything that affects later answers, including counters, sessions and caches.
 * - The answer to `state` decides which states are equal. Lists are ordered, keys of objects are not, and integers beyond 2^53 are read exactly. A
 *   change that `state` does not show does not count as a change.
 * - Checkpoints are nested: after a checkpoint, seqqa may make further ones, and later roll back to any of them. After a rollback, the checkpoints
 *   that were made after the restored one are never used again. Drop them; memory is then bounded by the length of the path.
 * - All three requests must finish their work before they answer. seqqa sends them while no other request of the lane is in progress, on a separate
 *   connection. A server that serves one connection at a time must therefore close it after each answer.
 * - Serve these routes in tests only, because anybody who can reach them can change the state.
 *
 * A request may take up to 30 s, and its answer may have up to 64 MiB. A checkpoint exists only in one process of the target, so seqqa reaches a
 * state by a rollback and a replay, not by writing a snapshot. A restarted target has lost its checkpoints, so `target.rollback: restart` cannot be
 * used. With `base_url`, the original state is restored at the end of the run, but not after a SIGKILL of seqqa.
 *
 * @module
 */
export { RemoteAdapter, type RemoteAdapterOptions } from "./remote-adapter.ts";
