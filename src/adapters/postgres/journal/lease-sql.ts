import { LEASE_SECONDS } from "../../../stores/external-store.ts";
import { OURS } from "../schema/catalog.ts";

/** The SQLSTATE of a function that found that the lease has expired. */
export const LEASE_STATE = "SQ003";

/**
 * The sequence with the time in seconds since 1970 until which triggers log. Every session sees a sequence's current value, even from an old
 * snapshot.
 */
const LEASE = `${OURS}.lease`;
const NOW = "pg_catalog.date_part('epoch', pg_catalog.clock_timestamp())";

/** Uses functions instead of operators, because the meaning of operators depends on the search_path. */
export const LEASE_HOLDS: string = `pg_catalog.float8lt(${NOW}, pg_catalog.pg_sequence_last_value('${LEASE}'::pg_catalog.regclass)::pg_catalog.float8)`;

/** A PL/pgSQL statement that fails after the lease has expired. */
export const REQUIRE_LEASE: string = `if not ${LEASE_HOLDS} then raise exception using errcode = '${LEASE_STATE}', message = 'the lease is over'; end if;`;

const EXTEND = `select pg_catalog.setval('${LEASE}', (${NOW} + ${LEASE_SECONDS})::bigint)`;
/** Renews the lease, unless the lease has expired. */
export const RENEW_LEASE: string = `${EXTEND} where ${LEASE_HOLDS}`;

export const leaseStatements: readonly string[] = [`create sequence ${LEASE}`, EXTEND];
