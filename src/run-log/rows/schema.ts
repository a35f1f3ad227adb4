/** The `PRAGMA user_version` of run logs. Run logs of other versions cannot be read. */
export const SCHEMA_VERSION = 4;

/**
 * The SQL that creates the tables of a run log. All stored data is without secrets. A column `document` holds a part of results.json as JSON. Lists
 * that have their own tables are empty in it.
 */
export const SCHEMA: string = `
-- One row: the run. Until ended_at is set it goes on, or was killed: then what is here is the beginning of it, up to the last batch.
CREATE TABLE run (
  id TEXT PRIMARY KEY,
  seqqa TEXT NOT NULL,              -- the version that wrote it
  started_at TEXT NOT NULL,         -- ISO 8601, UTC
  ended_at TEXT,
  exit_status INTEGER,
  document TEXT NOT NULL
) WITHOUT ROWID, STRICT;

-- The configuration, one row for each value: base_url, exploration.max_steps, ... Passwords and values of environments are not in it. And flags that are
-- no key of it, and hold when the run goes on, by their names: --only, --shard, ...
CREATE TABLE config (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,              -- JSON
  source TEXT NOT NULL              -- what set it: default, a line of the file, a flag
) WITHOUT ROWID, STRICT;

-- The variables that it gives to processes: when the run goes on, whether a value is the same can be told by its hash (scrypt, N 4096, r 8, p 1).
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

-- In the order of their declaration; nodes and edges name them by id.
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

-- What is known of the first states: a JSON list of lines, each of which stands for itself.
CREATE TABLE states (
  exploration INTEGER NOT NULL,
  node INTEGER NOT NULL,
  lines TEXT NOT NULL,
  PRIMARY KEY (exploration, node)
) STRICT;

-- Every (state, action) pair that was committed, in the order of commit: what stands here is a prefix of the run. A row is a batch; in it, as int32 values
-- (little endian), one record after the other: 65536 * (kind + 256 * flags) + action; unless it has flag 128 the node that it leaves (else that of the record
-- before); unless it was skipped (kind 1) the status (low 16 bits; in the high ones a second hash of the state, 0: none), the node that it leads to (-1: the outcome has no state), a hash of the response, and of the state's
-- shape (0: nobody asked); with flag 2 the id of its news. Kinds: 0 executed, 1 skipped, 2 failed, 3 broken. Flags: 1 a finding is on it, 2 it has news,
-- 4 the state changed, 8 its ids could not be put in order.
-- Executed ones are numbered in this order; exchanges name them by that (edge).
CREATE TABLE commits (
  exploration INTEGER NOT NULL,
  batch INTEGER NOT NULL,           -- 0, 1, 2, ...
  records BLOB NOT NULL,
  PRIMARY KEY (exploration, batch)
) STRICT;

-- Sampled states of which nothing is left to compare: they were expanded once more, by replay or along a second path (merge 1), or never written directly. An audit of a merge has 2 plus the number of its edge.
CREATE TABLE checks (
  exploration INTEGER NOT NULL,
  node INTEGER NOT NULL,
  merge INTEGER NOT NULL,
  PRIMARY KEY (exploration, node, merge)
) WITHOUT ROWID, STRICT;

-- What committed pairs brought to light: a JSON object of findings and errors.
CREATE TABLE news (
  exploration INTEGER NOT NULL,
  id INTEGER NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (exploration, id)
) STRICT;

-- What has to be the same when an exploration goes on later.
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

-- Calls that came out at the same time as they do in no order.
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

-- How the calls came out: 0 is the observed trial, the others are the orders that are allowed.
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

-- What was expected to come out the same twice and did not.
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

-- Requests and responses. Of the first edges (exploration, edge), of findings' steps (exploration, finding, step), of what their rules asked for
-- (exploration, finding, step is NULL), of races' prefixes (exploration, race, step) and calls (exploration, race, outcome; step is the side), of journeys' steps
-- (journey, step). None with report.include_request_response: false.
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
