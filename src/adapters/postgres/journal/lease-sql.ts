import { LEASE_SECONDS } from "../../../stores/external/external-store.ts";
import { OURS } from "../schema/catalog.ts";

/** The SQLSTATE that seqqa's functions raise if the lease has expired. */
export const LEASE_STATE = "SQ003";

/**
 * The sequence that stores the end of the lease, in seconds since 1970. The triggers log only before this time. Every session sees the current value
 * of a sequence, even inside an old transaction snapshot.
 */
const LEASE = `${OURS}.lease`;
const NOW = "pg_catalog.date_part('epoch', pg_catalog.clock_timestamp())";

/**
 * An SQL condition that is true while the lease is valid. The condition uses functions, because the meaning of operators depends on the search_path.
 */
export const LEASE_HOLDS: string = `pg_catalog.float8lt(${NOW}, pg_catalog.pg_sequence_last_value('${LEASE}'::pg_catalog.regclass)::pg_catalog.float8)`;

/** A PL/pgSQL statement that raises an error if the lease has expired. */
export const REQUIRE_LEASE: string = `if not ${LEASE_HOLDS} then raise exception using errcode = '${LEASE_STATE}', message = 'the lease is over'; end if;`;

const EXTEND = `select pg_catalog.setval('${LEASE}', (${NOW} + ${LEASE_SECONDS})::bigint)`;
/** A statement that extends the lease, unless the lease has already expired. */
export const RENEW_LEASE: string = `${EXTEND} where ${LEASE_HOLDS}`;

export const leaseStatements: readonly string[] = [`create sequence ${LEASE}`, EXTEND];
