/** The `PRAGMA user_version` of run logs. Run logs of other versions cannot be read. */
export const SCHEMA_VERSION = 4;

/**
 * The SQL that creates the tables of a run log. All stored data is without secrets. A column `document` holds a part of results.json as JSON. In this
 * JSON, lists that have their own tables are empty.
 */
export const SCHEMA: string = `
-- One row: the run. While ended_at is NULL, the run is in progress or was killed, and the tables hold the run up to the last batch.
CREATE TABLE run (
  id TEXT PRIMARY KEY,
  seqqa TEXT NOT NULL,              -- the version that wrote it
  started_at TEXT NOT NULL,         -- ISO 8601, UTC
  ended_at TEXT,
  exit_status INTEGER,
  document TEXT NOT NULL
) WITHOUT ROWID, STRICT;

-- The configuration, one row for each value: base_url, exploration.max_steps, ... Passwords and values of environment variables are not stored.
-- Flags that are not keys of the configuration, but apply to a resumed run, are stored by their names: --only, --shard, ...
CREATE TABLE config (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,              -- JSON
  source TEXT NOT NULL              -- what set it: default, a line of the file, a flag
) WITHOUT ROWID, STRICT;

-- The environment variables that the configuration passes to processes. When a run is resumed, the hash (scrypt, N 4096, r 8, p 1) shows whether a value
-- has changed.
CREATE TABLE environment (
  key TEXT PRIMARY KEY,             -- target.env.TOKEN
  salt TEXT NOT NULL,
  hash TEXT NOT NULL
) WITHOUT ROWID, STRICT;

CREATE TABLE explorations (
  id INTEGER PRIMARY KEY,           -- 0, 1, 2, ... in the order in which they ran
  name TEXT NOT NULL,
  file TEXT NOT NULL,               -- relative to where the command was started
  outcome TEXT NOT NULL,            -- running | ended | failed (its error is in failures)
  strategy TEXT NOT NULL,
  seed INTEGER NOT NULL,
  stop_reason TEXT NOT NULL,
  states INTEGER NOT NULL,
  transitions INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  skipped INTEGER NOT NULL,
  replayed INTEGER NOT NULL,
  max_depth INTEGER NOT NULL,
  complete_to_depth INTEGER NOT NULL,
  pairs REAL NOT NULL,              -- share of state x action that was executed or skipped
  duration_ms REAL NOT NULL,
  digest TEXT NOT NULL,
  document TEXT NOT NULL
) STRICT;

-- The actions, in the order of their declaration. nodes and commits refer to actions by id.
CREATE TABLE actions (
  exploration INTEGER NOT NULL,
  id INTEGER NOT NULL,
  name TEXT NOT NULL,
  applied INTEGER NOT NULL,
  skipped INTEGER NOT NULL,
  statuses TEXT NOT NULL,           -- JSON: status -> how often
  PRIMARY KEY (exploration, id)
) WITHOUT ROWID, STRICT;

-- The states, in the order in which they were first committed; 0 is the root state.
CREATE TABLE nodes (
  exploration INTEGER NOT NULL,
  id INTEGER NOT NULL,
  parent INTEGER NOT NULL,          -- the node that it was first opened from; -1: the root
  action INTEGER NOT NULL,          -- the action that leads to it from its parent; -1: the root
  depth INTEGER NOT NULL,
  lo INTEGER,                       -- its fingerprint, two halves
  hi INTEGER,
  PRIMARY KEY (exploration, id)
) WITHOUT ROWID, STRICT;

-- The data of the first states, as a JSON list of lines.
CREATE TABLE states (
  exploration INTEGER NOT NULL,
  node INTEGER NOT NULL,
  lines TEXT NOT NULL,
  PRIMARY KEY (exploration, node)
) STRICT;

-- The committed (state, action) pairs, in the order of commit; the rows are a prefix of the run. A row is a batch of records, a record is a list of int32
-- values (little endian):
-- 1. 65536 * (kind + 256 * flags) + action.
-- 2. Without flag 128: the node that the step leaves. With flag 128, it is the node of the record before.
-- 3. Unless kind is 1, four values: the status (low 16 bits; the high bits are a second hash of the state, 0: none), the node that the step leads to (-1: the
--    outcome has no state), a hash of the response, and a hash of the state's shape (0: not computed).
-- 4. With flag 2: the id of a row in news.
-- Kinds: 0 executed, 1 skipped, 2 failed, 3 broken. Flags: 1 the step has a finding, 2 the step has a row in news, 4 the state changed, 8 the ids of the
-- state could not be put in order.
-- Executed steps are numbered in this order. The number of a step is the column edge of exchanges.
CREATE TABLE commits (
  exploration INTEGER NOT NULL,
  batch INTEGER NOT NULL,           -- 0, 1, 2, ...
  records BLOB NOT NULL,
  PRIMARY KEY (exploration, batch)
) STRICT;

-- Sampled states whose cross-check has nothing left to compare: the states were expanded a second time, by replay or along a second path (merge 1), or were
-- never written directly. The audit of a merge has 2 plus the number of its edge as merge.
CREATE TABLE checks (
  exploration INTEGER NOT NULL,
  node INTEGER NOT NULL,
  merge INTEGER NOT NULL,
  PRIMARY KEY (exploration, node, merge)
) WITHOUT ROWID, STRICT;

-- The findings and errors of committed pairs, as a JSON object.
CREATE TABLE news (
  exploration INTEGER NOT NULL,
  id INTEGER NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (exploration, id)
) STRICT;

-- The run header of an exploration: data that must be equal when the exploration is resumed.
CREATE TABLE beginnings (
  exploration INTEGER PRIMARY KEY,
  code TEXT NOT NULL,               -- SHA-256 of the bundled code
  characters INTEGER NOT NULL,      -- of states and exchanges that were kept until the last batch
  document TEXT NOT NULL            -- JSON: the run's clocks, masked fields, the root state, bounds
) STRICT;

CREATE TABLE findings (
  exploration INTEGER NOT NULL,
  position INTEGER NOT NULL,        -- 0, 1, 2, ... in the order of results.json
  id TEXT NOT NULL,
  invariant TEXT NOT NULL,
  severity TEXT NOT NULL,
  message TEXT NOT NULL,
  path TEXT NOT NULL,               -- JSON: names of actions; the last one triggered it
  minimality TEXT,                  -- shortest | one_minimal | as_found
  shrunk_from TEXT,                 -- JSON: the path that was found, when a shorter one is shown
  draws TEXT,                       -- JSON: by which paths the data of each step is drawn, where it is not the path itself
  confirmed INTEGER NOT NULL,       -- 1: seen again from a clean start
  known INTEGER NOT NULL,           -- 1: listed in known_findings
  count INTEGER NOT NULL,           -- edges that broke the same rule with the same last action and status
  node INTEGER,                     -- the state that it leads to
  document TEXT NOT NULL,
  PRIMARY KEY (exploration, position)
) STRICT;

CREATE TABLE finding_steps (
  exploration INTEGER NOT NULL,
  finding INTEGER NOT NULL,         -- findings.position
  position INTEGER NOT NULL,
  action TEXT NOT NULL,
  status INTEGER,
  changes TEXT,                     -- JSON: lines of what changed in the state
  document TEXT NOT NULL,
  PRIMARY KEY (exploration, finding, position)
) STRICT;

-- Simultaneous calls whose result differs from the result of each order of these calls.
CREATE TABLE races (
  exploration INTEGER NOT NULL,
  position INTEGER NOT NULL,
  id TEXT NOT NULL,
  first TEXT NOT NULL,              -- names of actions
  second TEXT NOT NULL,
  copies INTEGER NOT NULL,          -- how many calls were sent at once
  verdict TEXT NOT NULL,            -- invariant | state | responses | server_error
  invariant TEXT,                   -- the broken rule of the verdict invariant
  severity TEXT NOT NULL,           -- critical | high | medium | low
  message TEXT NOT NULL,
  prefix TEXT NOT NULL,             -- JSON: names of actions that lead to the state in which they were sent
  hits INTEGER NOT NULL,            -- trials that showed it
  trials INTEGER NOT NULL,          -- trials in which the calls overlapped
  misses INTEGER NOT NULL,          -- trials in which they did not
  rate_low REAL NOT NULL,           -- 95 % confidence interval of hits / trials
  rate_high REAL NOT NULL,
  delivery TEXT NOT NULL,           -- http2 | pipelined | last_byte | plain | gated
  schedule TEXT,                    -- JSON: what was held where, with gated
  draws TEXT,                       -- JSON: by which paths the data of each step of the prefix is drawn, where it is not the path itself
  known INTEGER NOT NULL,           -- 1: listed in known_findings
  count INTEGER NOT NULL,           -- kinds of states and statuses of the pair in which it was seen
  document TEXT NOT NULL,
  PRIMARY KEY (exploration, position)
) STRICT;

-- The steps of the prefix.
CREATE TABLE race_steps (
  exploration INTEGER NOT NULL,
  race INTEGER NOT NULL,            -- races.position
  position INTEGER NOT NULL,
  action TEXT NOT NULL,
  status INTEGER,
  changes TEXT,                     -- JSON: lines of what changed in the state
  document TEXT NOT NULL,
  PRIMARY KEY (exploration, race, position)
) STRICT;

-- The outcomes of the calls of a race: 0 is the observed trial, the others are the orders of the calls.
CREATE TABLE race_outcomes (
  exploration INTEGER NOT NULL,
  race INTEGER NOT NULL,            -- races.position
  position INTEGER NOT NULL,
  executed TEXT,                    -- JSON: sides in their order; NULL: at the same time
  statuses TEXT NOT NULL,           -- JSON: by side; null where there was no response
  changes TEXT NOT NULL,            -- JSON: lines of what changed in the state
  broken TEXT NOT NULL,             -- JSON: invariants that do not hold after it
  document TEXT NOT NULL,
  PRIMARY KEY (exploration, race, position)
) STRICT;

-- Repeated executions of one path whose results differed without an explanation.
CREATE TABLE divergences (
  exploration INTEGER NOT NULL,
  position INTEGER NOT NULL,
  kind TEXT NOT NULL,
  message TEXT NOT NULL,
  path TEXT NOT NULL,               -- JSON
  document TEXT NOT NULL,
  PRIMARY KEY (exploration, position)
) STRICT;

-- Failures of the user's own code.
CREATE TABLE errors (
  exploration INTEGER NOT NULL,
  position INTEGER NOT NULL,
  code TEXT NOT NULL,
  source TEXT NOT NULL,
  message TEXT NOT NULL,
  count INTEGER NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (exploration, position)
) STRICT;

CREATE TABLE journeys (
  id INTEGER PRIMARY KEY,           -- 0, 1, 2, ... in their order
  name TEXT NOT NULL,
  file TEXT NOT NULL,
  status TEXT NOT NULL,             -- passed | failed | timed_out
  duration_ms REAL NOT NULL,
  document TEXT NOT NULL
) STRICT;

CREATE TABLE journey_steps (
  journey INTEGER NOT NULL,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,             -- passed | failed | timed_out | skipped
  error TEXT,
  duration_ms REAL NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (journey, position)
) STRICT;

-- Files that ended without a result.
CREATE TABLE failures (
  position INTEGER PRIMARY KEY,
  file TEXT NOT NULL,
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  document TEXT NOT NULL
) STRICT;

-- Requests and responses. The columns in brackets identify the owner: one of the first edges (exploration, edge), a step of a finding (exploration, finding,
-- step), the rule of a finding (exploration, finding, step is NULL), a step before a race (exploration, race, step), a call of a race (exploration, race,
-- outcome; step is the side), or a step of a journey (journey, step). Empty with report.include_request_response: false.
CREATE TABLE exchanges (
  exploration INTEGER,
  edge INTEGER,
  finding INTEGER,
  race INTEGER,
  outcome INTEGER,
  journey INTEGER,
  step INTEGER,
  position INTEGER NOT NULL,        -- 0, 1, 2, ... in the order of sending
  method TEXT NOT NULL,
  url TEXT NOT NULL,
  request_headers TEXT NOT NULL,    -- JSON
  request_body TEXT,
  status INTEGER,                   -- NULL: there was no response
  response_headers TEXT,            -- JSON
  response_body TEXT,
  error TEXT,
  duration_ms REAL NOT NULL,
  exact TEXT                        -- JSON of the exchange, where a text in it is no valid Unicode
) STRICT;

CREATE INDEX exchanges_of_edges ON exchanges (exploration, edge) WHERE edge IS NOT NULL;
CREATE INDEX exchanges_of_findings ON exchanges (exploration, finding) WHERE finding IS NOT NULL;
CREATE INDEX exchanges_of_races ON exchanges (exploration, race) WHERE race IS NOT NULL;
CREATE INDEX exchanges_of_journeys ON exchanges (journey) WHERE journey IS NOT NULL;
`;
