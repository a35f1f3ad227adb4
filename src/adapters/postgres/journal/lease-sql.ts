import { LEASE_SECONDS } from "../../../stores/external-store.ts";
import { OURS } from "../schema/catalog.ts";

/** The SQLSTATE that a function raises when it finds the lease over. */
export const LEASE_STATE = "SQ003";

/**
 * Holds the second since 1970 until which triggers log. It is a sequence, since every session sees its value as it is now, whatever snapshot the
 * session has.
 */
const LEASE = `${OURS}.lease`;
const NOW = "pg_catalog.date_part('epoch', pg_catalog.clock_timestamp())";

/** Written without operators, so that nothing depends on a search_path. */
export const LEASE_HOLDS: string = `pg_catalog.float8lt(${NOW}, pg_catalog.pg_sequence_last_value('${LEASE}'::pg_catalog.regclass)::pg_catalog.float8)`;

/** A statement for a function, which fails when the lease is over. */
export const REQUIRE_LEASE: string = `if not ${LEASE_HOLDS} then raise exception using errcode = '${LEASE_STATE}', message = 'the lease is over'; end if;`;

const EXTEND = `select pg_catalog.setval('${LEASE}', (${NOW} + ${LEASE_SECONDS})::bigint)`;
/** Renews the lease. A lease that is over stays over. */
export const RENEW_LEASE: string = `${EXTEND} where ${LEASE_HOLDS}`;

export const leaseStatements: readonly string[] = [`create sequence ${LEASE}`, EXTEND];
