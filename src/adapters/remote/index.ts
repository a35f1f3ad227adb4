/**
 * A store that the target saves and restores itself, over HTTP: for APIs that keep their state in memory, in files, or in a store that
 * seqqa has no adapter for. Any language can serve the protocol in thirty lines (`fixtures/remote/server.mjs`, `server.py`).
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
 * - The copy holds everything that decides what comes next: counters, sessions and caches too. The answer to `state` decides which states
 *   are the same: lists are in order, the keys of an object are not; integers beyond 2^53 are read exactly. A change that
 *   `state` does not show counts as no change.
 * - Checkpoints are nested: from a checkpoint seqqa may take further ones, then go back to it, or to an older one. After
 *   a rollback the checkpoints that were made after that one are never asked for again: drop them, and memory stays bounded by the depth
 *   of the path.
 * - All three requests finish their work before they answer: none is left for later. They are sent while no other request of the lane is in
 *   progress, on a connection of their own, so a server that takes one connection at a time must close it after each answer.
 * - Serve them in tests only: anybody who can reach them can change the state.
 *
 * A request may take 30 s and its answer 64 MiB. A checkpoint lives in one process, so states are reached by rolling back and replaying,
 * and not by writing them. A target that is restarted has lost its checkpoints (`target.rollback: restart` is refused). With `base_url` the
 * state that was found is restored at the end; after a SIGKILL of seqqa it is not.
 *
 * @module
 */
export { RemoteAdapter, type RemoteAdapterOptions } from "./remote-adapter.ts";
