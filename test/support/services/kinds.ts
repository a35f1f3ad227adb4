import { execFileSync } from "node:child_process";
import { chownSync, existsSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { background, program, unprivileged, versions, type Service } from "./service.ts";

export const postgres: Service = {
  name: "postgres",
  defaultPort: 5432,
  url: (port) => `postgresql://postgres@127.0.0.1:${port}`,
  crash: "SIGQUIT",
  package: "postgresql",
  isReady: async (url) => {
    const client = new pg.Client({ connectionString: `${url}/postgres` });
    // While it recovers from a crash it refuses sessions.
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  },
  start: (port, directory) => {
    const folders = versions("/usr/lib/postgresql").map((folder) => join(folder, "bin"));
    const [initdb, server] = [program("initdb", folders), program("postgres", folders)];
    if (initdb === undefined || server === undefined) return undefined;
    const user = unprivileged("postgres");
    if (user !== undefined) chownSync(directory, user.uid, user.gid);
    const data = join(directory, "data");
    if (!existsSync(data))
      execFileSync(initdb, ["-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale", "C", "-N"], {
        stdio: "pipe",
        cwd: directory,
        ...user,
      });
    return background(
      server,
      ["-D", data, "-p", String(port), "-k", directory, "-c", "fsync=off", "-c", "listen_addresses=127.0.0.1"],
      user,
    );
  },
};

export const mysql: Service = {
  name: "mysql",
  defaultPort: 3306,
  url: (port) => `mysql://root@127.0.0.1:${port}`,
  crash: "SIGKILL",
  package: "mariadb-server",
  start: (port, directory) => {
    const [install, server] = [program("mariadb-install-db"), program("mariadbd")];
    if (install === undefined || server === undefined) return undefined;
    const user = unprivileged("mysql");
    if (user !== undefined) chownSync(directory, user.uid, user.gid);
    const data = join(directory, "data");
    // A server that starts removes what another one has in a tmpdir that both use.
    const common = ["--no-defaults", `--datadir=${data}`, `--tmpdir=${directory}`];
    if (!existsSync(data))
      execFileSync(install, [...common, "--auth-root-authentication-method=normal", "--skip-test-db"], {
        stdio: "pipe",
        cwd: directory,
        ...user,
      });
    const own = [`--port=${port}`, "--bind-address=127.0.0.1", `--socket=${join(directory, "s")}`, `--pid-file=${join(directory, "pid")}`];
    return background(server, [...common, ...own, "--innodb-flush-log-at-trx-commit=0"], user);
  },
};

export const redis: Service = {
  name: "redis",
  defaultPort: 6379,
  url: (port) => `redis://127.0.0.1:${port}`,
  crash: "SIGKILL",
  package: "redis-server",
  start: (port, directory) => {
    const server = program("redis-server");
    if (server === undefined) return undefined;
    return background(server, ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", directory]);
  },
};
