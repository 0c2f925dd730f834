// The databases that the tests talk to. For each: a URL in the environment, else a server on the standard local port,
// else Docker compose, else (as root on Debian) its package; where none of these can be had, the suites say "NOT RUN".
// PgBouncer, which the tests start by themselves, is looked for as a program, and else installed from its package.
import { connect } from "node:net";
import { join } from "node:path";
import { root, runQuietly } from "./setup/process.mjs";

/** `store` is what the engine's tests call it, which run on it as well; `compose` names the service in scripts/services.yaml. */
const services = [
  {
    name: "PostgreSQL",
    store: "postgres",
    variable: "POSTGRES_URL",
    port: 5432,
    compose: { service: "postgres", url: "postgres://postgres:trunkline@127.0.0.1:5432/postgres" },
    debian: { packages: ["postgresql"], start: ["service", "postgresql", "start"], prepare: openPostgres },
  },
  {
    name: "MariaDB",
    store: "mariadb",
    variable: "MARIADB_URL",
    port: 3306,
    compose: { service: "mariadb", url: "mysql://root:trunkline@127.0.0.1:3306/test" },
    debian: { packages: ["mariadb-server"], start: ["service", "mariadb", "start"], prepare: openMariadb },
  },
  {
    name: "MySQL",
    store: "mysql",
    variable: "MYSQL_URL",
    port: 3307,
    compose: { service: "mysql", url: "mysql://root:trunkline@127.0.0.1:3307/" },
    debian: { script: join("scripts", "start-mysql.sh") },
  },
  {
    name: "Redis",
    variable: "REDIS_URL",
    port: 6379,
    compose: { service: "redis", url: "redis://127.0.0.1:6379" },
    debian: { packages: ["redis-server"], start: ["service", "redis-server", "start"] },
  },
];

/** A step of `npm test`: finds or starts each database, says which are missing, and returns where they are. */
export const databases = {
  title: "databases",
  isDone: () => false,
  async run() {
    const environment = {};
    const lines = [];
    const stores = [];
    for (const service of services) {
      const { how, url } = await provide(service);
      if (url !== undefined) environment[service.variable] = url;
      if (how !== undefined && service.store !== undefined) stores.push(service.store);
      if (how === undefined) {
        lines.push(`NOT RUN  ${service.name} is not there: none of its tests. Install it, or set ${service.variable}.`);
        if (service.name === "MySQL") environment.TRUNKLINE_WITHOUT_MYSQL = "1";
      }
    }
    if (stores.includes("postgres") && !(await poolerIsThere())) {
      lines.push(
        "NOT RUN  PgBouncer is not there: no test through a pooler. Install it: the package is named pgbouncer.",
      );
      environment.TRUNKLINE_WITHOUT_PGBOUNCER = "1";
    }
    if (lines.length > 0) process.stderr.write(`\n${lines.join("\n")}\n`);
    environment.TRUNKLINE_TEST_STORES = stores.join(",");
    return environment;
  },
};

async function provide(service) {
  const given = process.env[service.variable];
  if (given) return { how: "environment", url: given };
  if (await answers(service.port)) return { how: "local server" };
  if (await composeStarts(service)) return { how: "docker compose", url: service.compose.url };
  if (await debianStarts(service)) return { how: "debian package" };
  return {};
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, timeout: 1000 });
    const say = (answer) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", say(true)).once("error", say(false)).once("timeout", say(false));
  });
}

/** A program and no server: the tests start it in front of PostgreSQL. */
async function poolerIsThere() {
  for (const program of ["pgbouncer", "/usr/sbin/pgbouncer", "/usr/local/sbin/pgbouncer"]) {
    if ((await runQuietly(program, ["--version"])).exitCode === 0) return true;
  }
  return (
    (await isDebianRoot()) &&
    (await runQuietly("bash", [join(root, "scripts", "services-pgbouncer.sh")])).exitCode === 0
  );
}

async function isDebianRoot() {
  return process.getuid?.() === 0 && (await runQuietly("apt-get", ["--version"])).exitCode === 0;
}

async function composeStarts({ compose }) {
  const engine = await runQuietly("docker", ["info", "--format", "{{.ServerVersion}}"]);
  if (engine.exitCode !== 0) return false;
  const file = join("scripts", "services.yaml");
  const { exitCode } = await runQuietly("docker", ["compose", "-f", file, "up", "-d", "--wait", compose.service]);
  return exitCode === 0;
}

async function debianStarts({ debian, port }) {
  if (!(await isDebianRoot())) return false;
  if (debian.script !== undefined) {
    return (await runQuietly("bash", [join(root, debian.script), "start"])).exitCode === 0;
  }
  const quiet = { DEBIAN_FRONTEND: "noninteractive" };
  await runQuietly("apt-get", ["update", "-q"], quiet);
  const installed = await runQuietly("apt-get", ["install", "-y", "-q", ...debian.packages], quiet);
  if (installed.exitCode !== 0) return false;
  await runQuietly(debian.start[0], debian.start.slice(1));
  for (let tries = 0; tries < 60 && !(await answers(port)); tries++) await new Promise((done) => setTimeout(done, 500));
  await debian.prepare?.();
  return answers(port);
}

/** The tests come in over TCP without a password; a fresh package wants one. Only for a server that was just installed here. */
async function openPostgres() {
  const sql = "alter system set listen_addresses = '127.0.0.1'; alter role postgres password null;";
  await runQuietly("su", ["postgres", "-c", `psql -qc "${sql}"`]);
  const trust = "sed -i -E 's/^(host +all +all +127.0.0.1.32 +).*/\\1trust/' $(ls /etc/postgresql/*/main/pg_hba.conf)";
  await runQuietly("bash", ["-c", `${trust} && service postgresql reload`]);
}

async function openMariadb() {
  const sql =
    "create database if not exists test; alter user root@localhost identified via unix_socket or mysql_native_password using password('');";
  await runQuietly("mariadb", ["-e", sql]);
}
