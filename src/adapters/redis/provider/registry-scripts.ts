import { RESERVED } from "../keys/reserved.ts";
import { BEYOND_LIMIT, Script } from "../dump/scripts.ts";

/** The key by which the database with the Redis registry is found. Its field `notify` holds the original value of `notify-keyspace-events`. */
const ROOT = `${RESERVED}registry`;

const HEAD = `
local ROOT, DB, ALIVE, SAVED = '${ROOT}', '${RESERVED}db:', '${RESERVED}alive:', '${RESERVED}saved:'
local RECORDED, NEXT = '${RESERVED}recorded:', '${RESERVED}next:'
local function claims()
  local all = {}
  for _, k in ipairs(redis.call('KEYS', DB .. '*')) do all[#all + 1] = string.sub(k, #DB + 1) end
  return all
end
`;

/**
 * Finds or creates the Redis registry. ARGV: a database that must not be used; `1` to create a missing registry; the database to use if no database
 * is empty (-1: create no registry). Returns the number of the registry's database, or -1.
 */
export const LOCATE: Script = new Script(`${HEAD}
local empty, n = -1, 0
while not (redis.pcall('SELECT', n))['err'] do
  if redis.call('EXISTS', ROOT) == 1 then return n end
  if n ~= tonumber(ARGV[1]) and redis.call('DBSIZE') == 0 then empty = n end
  n = n + 1
end
if ARGV[2] ~= '1' then return -1 end
if empty < 0 then empty = tonumber(ARGV[3]) end
if empty < 0 then return -1 end
redis.call('SELECT', empty)
redis.call('HSET', ROOT, 'made', '1')
return empty`);

/**
 * Lists all claims in the Redis registry. ARGV: the registry's database. Returns for each claim: the database, the owner, the kind, the run, `1` if
 * the original data is saved, `1` if heartbeats arrive, and the time of the last heartbeat in seconds since 1970.
 */
export const LIST: Script = new Script(`${HEAD}
redis.call('SELECT', ARGV[1])
local out = {}
for _, n in ipairs(claims()) do
  local c = redis.call('HMGET', DB .. n, 'owner', 'kind', 'run', 'saved', 'beat')
  out[#out + 1] = {n, c[1], c[2], c[3], c[4] or '', redis.call('EXISTS', ALIVE .. (c[1] or '')), c[5] or '0'}
end
return out`);

/**
 * Claims a database. ARGV: the registry's database; the database to claim; owner; kind; run; the lifetime of a heartbeat in ms; `1` if the database
 * must be empty; the previous owner (empty: the database must have no claim). Returns 1 if the database was claimed, else 0. The recorded time of the
 * previous owner's last heartbeat does not change.
 */
export const CLAIM: Script = new Script(`${HEAD}
${BEYOND_LIMIT}
local free = 1
if ARGV[7] == '1' then
  redis.call('SELECT', ARGV[2])
  if redis.call('DBSIZE') > 0 then free = 0 end
end
redis.call('SELECT', ARGV[1])
local owner = redis.call('HGET', DB .. ARGV[2], 'owner') or ''
if free == 0 or owner ~= ARGV[8] then return 0 end
redis.call('HSETNX', ROOT, 'made', '1')
redis.call('HSET', DB .. ARGV[2], 'owner', ARGV[3], 'kind', ARGV[4], 'run', ARGV[5])
if owner ~= '' then redis.call('DEL', ALIVE .. owner) else redis.call('HSET', DB .. ARGV[2], 'beat', redis.call('TIME')[1]) end
redis.call('SET', ALIVE .. ARGV[3], '1', 'PX', ARGV[6])
return 1`);

/**
 * Records a heartbeat of an owner. ARGV: the registry's database, owner, lifetime in ms, the owner's databases. Returns the number of these databases
 * whose claims no longer exist.
 */
export const BEAT: Script = new Script(`${HEAD}
${BEYOND_LIMIT}
redis.call('SELECT', ARGV[1])
redis.call('SET', ALIVE .. ARGV[2], '1', 'PX', ARGV[3])
local gone = 0
for i = 4, #ARGV do
  if redis.call('HGET', DB .. ARGV[i], 'owner') ~= ARGV[2] then gone = gone + 1
  else redis.call('HSET', DB .. ARGV[i], 'beat', redis.call('TIME')[1])
  end
end
return gone`);

/** Releases a claim. ARGV: the registry's database, the database, owner. */
export const RELEASE: Script = new Script(`${HEAD}
redis.call('SELECT', ARGV[1])
if redis.call('HGET', DB .. ARGV[2], 'owner') ~= ARGV[3] then return 0 end
redis.call('DEL', DB .. ARGV[2], SAVED .. ARGV[2], RECORDED .. ARGV[2], NEXT .. ARGV[2])
return 1`);

/**
 * Removes an owner. Also removes the registry if no claims remain and the server's setting of `notify-keyspace-events` was restored, because the
 * registry contains the original setting. ARGV: the registry's database, owner, `1` if the owner has restored the setting. Returns the number of
 * remaining claims.
 */
export const LEAVE: Script = new Script(`${HEAD}
redis.call('SELECT', ARGV[1])
redis.call('DEL', ALIVE .. ARGV[2])
local left = #claims()
if left == 0 and ARGV[3] == '1' then redis.call('DEL', ROOT) end
return left`);

/**
 * Records keys of an external database. ARGV: the registry's database, the database, owner, `next` (the keys are about to be written) or `recorded`
 * (the keys were written), time in ms, then for each key its name and its entry as text (empty if the key again has its entry from the start of the
 * run). Returns 0 and records nothing if the owner's claim or heartbeat is missing.
 */
export const RECORD: Script = new Script(`${HEAD}
${BEYOND_LIMIT}
redis.call('SELECT', ARGV[1])
if redis.call('HGET', DB .. ARGV[2], 'owner') ~= ARGV[3] or redis.call('EXISTS', ALIVE .. ARGV[3]) == 0 then return 0 end
local isNext = ARGV[4] == 'next'
local to = (isNext and NEXT or RECORDED) .. ARGV[2]
redis.call('DEL', NEXT .. ARGV[2])
for i = 6, #ARGV, 2 do
  if ARGV[i + 1] == '' and not isNext then redis.call('HDEL', to, ARGV[i]) else redis.call('HSET', to, ARGV[i], ARGV[i + 1]) end
end
redis.call('HSET', DB .. ARGV[2], 'at', ARGV[5])
return 1`);

export const registryKey: string = ROOT;
export const claimKey = (db: number): string => `${RESERVED}db:${db}`;
export const savedKey = (db: number): string => `${RESERVED}saved:${db}`;
export const recordedKey = (db: number): string => `${RESERVED}recorded:${db}`;
export const nextKey = (db: number): string => `${RESERVED}next:${db}`;
