import { createHash } from "node:crypto";
import type { Argument, Connection, RawReply } from "../connect/driver.ts";
import { RESERVED } from "../keys/reserved.ts";
import { scrubbed, refused } from "../connect/failures.ts";

/** A Lua script on the server. It needs one round trip, and no command of another client is executed while it runs. */
export class Script {
  readonly #text: string;
  readonly #sha: string;

  constructor(text: string) {
    this.#text = text;
    this.#sha = createHash("sha1").update(text).digest("hex");
  }

  async run(connection: Connection, parameters: readonly Argument[]): Promise<RawReply> {
    const { place } = connection;
    try {
      return (await connection.ask((client) => client.callBuffer("EVALSHA", [this.#sha, "0", ...parameters]))) as RawReply;
    } catch (error) {
      // NOSCRIPT means that the server does not know the script, because it was restarted or its script cache was flushed. The script is then sent
      // again.
      if (!scrubbed(error, place).message.startsWith("NOSCRIPT")) throw refused(place, error);
    }
    return connection.bytes("EVAL", this.#text, "0", ...parameters);
  }
}

/**
 * The first command of scripts that must also work after the server has reached `maxmemory`, because they restore or record keys. Redis checks the
 * limit only before the first write of a script. This first write is allowed, because it deletes a key and therefore needs no memory.
 */
export const BEYOND_LIMIT: string = `redis.call('DEL', '${RESERVED}room')`;

/** Runs SCAN in another database. ARGV: a database, a cursor, the COUNT of SCAN. Returns SCAN's reply. */
export const SCAN: Script = new Script(`
redis.call('SELECT', ARGV[1])
return redis.call('SCAN', ARGV[2], 'COUNT', ARGV[3])`);

/** A Lua function that the scripts below share. It returns `false` (missing key) or the values that {@link READ} describes. */
const READING = `
local time = redis.call('TIME')
local function lifetimes(k, pairs)
  local out = {}
  for i = 1, #pairs, 2000 do
    local names = {}
    for n = i, math.min(i + 1999, #pairs), 2 do names[#names + 1] = pairs[n] end
    -- The reply is no list if the user may not call this command.
    for n, at in ipairs(redis.pcall('HPEXPIRETIME', k, 'FIELDS', #names, unpack(names))) do
      if at >= 0 then
        out[#out + 1] = names[n]
        out[#out + 1] = at
      end
    end
  end
  return out
end
local function read(k, hasLifetimes)
  local type = redis.call('TYPE', k)['ok']
  if type == 'none' then return false end
  local v = ''
  if type == 'string' then v = redis.call('GET', k)
  elseif type == 'hash' then
    v = redis.call('HGETALL', k)
    if #v == 0 then return false end
  elseif type == 'list' then v = redis.call('LRANGE', k, 0, -1)
  elseif type == 'set' then v = redis.call('SMEMBERS', k)
  elseif type == 'zset' then v = redis.call('ZRANGE', k, 0, -1, 'WITHSCORES')
  elseif type == 'stream' then v = redis.call('XINFO', 'STREAM', k, 'FULL', 'COUNT', 0)
  end
  local fields = type == 'hash' and hasLifetimes == '1' and lifetimes(k, v) or {}
  return {type, redis.call('DUMP', k), redis.call('PEXPIRETIME', k), v, fields}
end
local out = {time[1], time[2]}
`;

/**
 * Reads keys. ARGV: the database (empty: the connection's own), `1` if the server has lifetimes of hash fields, then the keys. Returns the server's
 * time in seconds and microseconds. For each key, `false` (missing, or a hash whose fields have all expired) or five values follow: type, DUMP, expiry
 * in ms since 1970 (-1: none), the value as the commands of its type return it, and the names of hash fields that expire, each with its time.
 */
export const READ: Script = new Script(`${READING}
if ARGV[1] ~= '' then redis.call('SELECT', ARGV[1]) end
for i = 3, #ARGV do out[i] = read(ARGV[i], ARGV[2]) end
return out`);

/**
 * Decodes replies to DUMP. ARGV: a reserved key, under which each value is restored for a moment; `1` if the server has lifetimes of hash fields;
 * then the replies. Returns the same as {@link READ}.
 */
export const DECODE: Script = new Script(`${BEYOND_LIMIT}${READING}
for i = 3, #ARGV do
  local r = redis.pcall('RESTORE', ARGV[1], '0', ARGV[i], 'REPLACE')
  if r['err'] then
    redis.call('DEL', ARGV[1])
    return r
  end
  out[i] = read(ARGV[1], ARGV[2])
end
redis.call('DEL', ARGV[1])
return out`);

/** The reply of {@link APPLY} if it changed nothing, because the server had counted changes since the last read. */
export const WRITTEN = "written";

/**
 * Changes keys. ARGV: a channel for messages (empty: send none), a token, the server's count of changes at the last read (empty: do not compare it),
 * the connection's database. Then for each key:
 * - its database and its name;
 * - its new expiry time in ms since 1970 (0: none);
 * - its new content as a reply to DUMP. If this argument is empty, the key is deleted or, if the previous argument is not 0, expires after that
 *   number of ms;
 * - its expected present state (empty: any): `-` for a missing key, else the reply to PEXPIRETIME and the SHA1 of the reply to DUMP, separated by a
 *   blank.
 *
 * The script sends a message with the token before its changes, and a second message after them. Notifications between the two messages belong to the
 * script, not to other clients. If the server's count of changes differs from the given count, the script changes nothing and returns {@link
 * WRITTEN}. Otherwise, the script returns a list. The first item is the reply to INFO after the changes (empty without a channel). The other items
 * are the positions of the keys that were not written, because their present state is not the expected state. The first key has position 0. If an
 * expected expiry time has passed, a missing key counts as expected, too.
 */
export const APPLY: Script = new Script(`
local told = ARGV[1] ~= ''
if ARGV[3] ~= '' then
  local info = redis.call('INFO', 'persistence')
  if string.match(info, 'rdb_changes_since_last_save:%d+') .. string.match(info, 'rdb_last_save_time:%d+') ~= ARGV[3] then
    redis.call('PUBLISH', ARGV[1], 'end ' .. ARGV[2])
    return '${WRITTEN}'
  end
end
if told then redis.call('PUBLISH', ARGV[1], 'begin ' .. ARGV[2]) end
${BEYOND_LIMIT}
local failed = false
local skipped = {''}
local db = ARGV[4]
local time = redis.call('TIME')
local function isAsExpected(key, expected)
  local dump = redis.call('DUMP', key)
  if dump and expected == string.format('%.0f', redis.call('PEXPIRETIME', key)) .. ' ' .. redis.sha1hex(dump) then return true end
  -- A hash whose fields have all expired counts as missing.
  if dump and (redis.call('TYPE', key)['ok'] ~= 'hash' or #redis.call('HKEYS', key) > 0) then return false end
  local at = tonumber(string.match(expected, '^%d+'))
  return expected == '-' or (at ~= nil and at <= time[1] * 1000 + time[2] / 1000)
end
for i = 5, #ARGV, 5 do
  local to, key, at, dump, expected = unpack(ARGV, i, i + 4)
  local r
  if to ~= db then
    redis.call('SELECT', to)
    db = to
  end
  if expected ~= '' and not isAsExpected(key, expected) then skipped[#skipped + 1] = (i - 5) / 5
  elseif dump == '' then
    -- The reply is a table if the user may not call PEXPIRE.
    if at == '0' or type(redis.pcall('PEXPIRE', key, at)) == 'table' then r = redis.pcall('DEL', key) end
  elseif at == '0' then r = redis.pcall('RESTORE', key, '0', dump, 'REPLACE')
  else r = redis.pcall('RESTORE', key, at, dump, 'REPLACE', 'ABSTTL')
  end
  if type(r) == 'table' and r['err'] and not failed then failed = r end
end
if told then redis.call('PUBLISH', ARGV[1], 'end ' .. ARGV[2]) end
if told then skipped[1] = redis.call('INFO', 'commandstats', 'persistence', 'keyspace') end
return failed or skipped`);

/**
 * Deletes keys that nobody has read or written since a time. ARGV: the time in seconds since 1970; `none` (delete no key, only count), `unused`
 * (delete unused keys) or `unknown` (also delete keys whose last use is unknown); then the keys. Returns the number of keys that were used since the
 * time, and the number of keys whose last use is unknown. The server does not know the last use of keys with small numbers as values. If its eviction
 * policy is LFU, it does not know the last use of any key.
 */
export const DELETE_UNUSED: Script = new Script(`
local now = redis.call('TIME')[1]
local used, unknown = 0, 0
for i = 3, #ARGV do
  local k = ARGV[i]
  local idle = redis.pcall('OBJECT', 'IDLETIME', k)
  local isUnknown = type(idle) == 'table' or redis.call('OBJECT', 'REFCOUNT', k) == 2147483647
  if idle and not isUnknown and now - idle > tonumber(ARGV[1]) then used = used + 1
  elseif idle then
    if isUnknown then unknown = unknown + 1 end
    if ARGV[2] == 'unknown' or (ARGV[2] == 'unused' and not isUnknown) then redis.call('DEL', k) end
  end
end
return {used, unknown}`);

/**
 * Executes all commands that a restore needs. Fails if the user is not allowed to call one of them. ARGV: a reserved key, which is deleted at the
 * end. The first command is DEL, so that the script fails before it creates the key if the user is not allowed to delete keys.
 */
export const TRIAL: Script = new Script(`
redis.call('DEL', ARGV[1])
redis.call('SET', ARGV[1], '1', 'PX', '1000')
local dump = redis.pcall('DUMP', ARGV[1])
local r = dump
if type(dump) == 'string' then r = redis.pcall('RESTORE', ARGV[1], '0', dump, 'REPLACE') end
redis.call('DEL', ARGV[1])
return r`);
