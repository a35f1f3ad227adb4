"""The same as node-writer.mjs with another SQLite library, of another version, in another language."""

import json
import sqlite3
import sys

db = sqlite3.connect(sys.argv[1], timeout=5, isolation_level=None)
db.execute("pragma journal_mode = " + sys.argv[2])
db.execute("pragma foreign_keys = on")
for line in sys.stdin:
    failed = 0
    for sql in json.loads(line):
        try:
            db.execute(sql).fetchall()
        except (sqlite3.IntegrityError, sqlite3.OperationalError, sqlite3.InterfaceError, sqlite3.DatabaseError) as error:
            if "locked" in str(error) or "malformed" in str(error):
                raise
            failed += 1
    if db.in_transaction:
        db.execute("rollback")
    print(failed, flush=True)
db.close()
