import { execFileSync } from "node:child_process";
import { chownSync, existsSync, writeFileSync } from "node:fs";
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
    // PostgreSQL refuses sessions while it recovers from a crash.
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
    // Tests use many short sessions with small data. Compiling a query of the catalog takes ten times as long there as running it.
    const settings = ["fsync=off", "jit=off", "listen_addresses=127.0.0.1"].flatMap((setting) => ["-c", setting]);
    return background(server, ["-D", data, "-p", String(port), "-k", directory, ...settings], user);
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
    // Each server needs its own tmpdir, because a server that starts deletes the files of other servers in it.
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

/**
 * Ports for the management API and for Erlang's distribution. They are outside of the ranges from which systems choose ports, so they are rarely in
 * use.
 */
const managementPort = (port: number): number => 10_000 + (port % 5000);
const distributionPort = (port: number): number => 15_700 + (port % 4000);

export const rabbitmq: Service = {
  name: "rabbitmq",
  defaultPort: 5672,
  // A server on the default port, which seqqa's tests did not start, has its management API on that API's default port.
  url: (port) => `amqp://guest:guest@127.0.0.1:${port}${port === 5672 ? "" : `?management=http://127.0.0.1:${managementPort(port)}`}`,
  crash: "SIGKILL",
  package: "rabbitmq-server",
  isReady: (url) =>
    fetch(`${new URL(url).searchParams.get("management")}/api/whoami`, {
      headers: { authorization: `Basic ${Buffer.from("guest:guest").toString("base64")}` },
    }).then(
      ({ ok }) => ok,
      () => false,
    ),
  start: (port, directory) => {
    // Debian's command in the PATH changes the user. The server's own command does not.
    const own = "/usr/lib/rabbitmq/bin/rabbitmq-server";
    const server = existsSync(own) ? own : program("rabbitmq-server");
    if (server === undefined) return undefined;
    const [config, plugins] = [join(directory, "rabbitmq.conf"), join(directory, "plugins")];
    writeFileSync(plugins, "[rabbitmq_management].");
    writeFileSync(
      config,
      `listeners.tcp.1 = 127.0.0.1:${port}\nmanagement.tcp.ip = 127.0.0.1\nmanagement.tcp.port = ${managementPort(port)}\n`,
    );
    return background(server, [], undefined, {
      RABBITMQ_NODENAME: `seqqa-test-${port}@localhost`,
      RABBITMQ_NODE_PORT: String(port),
      RABBITMQ_DIST_PORT: String(distributionPort(port)),
      RABBITMQ_MNESIA_BASE: join(directory, "data"),
      RABBITMQ_LOG_BASE: join(directory, "logs"),
      RABBITMQ_CONFIG_FILE: config,
      RABBITMQ_ENABLED_PLUGINS_FILE: plugins,
      RABBITMQ_CONF_ENV_FILE: "/dev/null",
      // Idle schedulers of Erlang wait actively by default, which takes processor time from the tests.
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "+sbwt none +sbwtdcpu none +sbwtdio none",
      // With this variable, the script of the server is replaced by the server process, which therefore receives the signals.
      RUNNING_UNDER_SYSTEMD: "true",
      HOME: directory,
    });
  },
};

export const nats: Service = {
  name: "nats",
  defaultPort: 4222,
  url: (port) => `nats://127.0.0.1:${port}`,
  crash: "SIGKILL",
  package: "nats-server",
  start: (port, directory) => {
    const server = program("nats-server");
    if (server === undefined) return undefined;
    return background(server, ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", directory]);
  },
};
