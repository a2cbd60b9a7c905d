import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { clusterOf, findHome, type Home } from '../../shared/postgres/embedded-home.ts';
import { initialise, readPassword } from '../../shared/postgres/embedded-initialise.ts';
import { readPidFile } from '../../shared/postgres/embedded-pid-file.ts';
import { findPrograms } from '../../shared/postgres/embedded-programs.ts';
import { runServer } from '../../shared/postgres/embedded-server.ts';
import { makeDatabaseFolder } from './database-folder.ts';
import { eventually, inTime } from './eventually.ts';
import { findOldestPrograms, initialiseOldest } from './oldest-database.ts';
import { findFreePort, freezeFamily } from './process.ts';
import { migrateTemplate } from './template-database.ts';

const run = promisify(execFile);

/** True to run the oldest supported version (`POSTGRES=15`) instead of the one that comes with the service. */
const isOldest = process.env.POSTGRES === '15';

/** One of several replicating PostgreSQL servers. It contains the template database of `startApp`. */
export interface ReplicatedServer extends AsyncDisposable {
  /** URL of a superuser. */
  url: string;
  port: number;
  /** Runs a statement on this server, without waiting for a standby. */
  query<Row extends object>(statement: string): Promise<Row[]>;
  /** Kills it without warning. */
  kill(): Promise<void>;
  /** Stops it. Resolves with a function that continues it. */
  freeze(): Promise<() => void>;
  /** Makes a standby the primary. Resolves when it accepts writes. */
  promote(): Promise<void>;
  /** Starts a standby of this server. Resolves when it accepts reads and commits wait until it has applied them. */
  startStandby(name: string): Promise<ReplicatedServer>;
}

/** Starts a PostgreSQL that others can follow. */
export async function startPrimary(): Promise<ReplicatedServer> {
  await using stack = new AsyncDisposableStack();
  const home = await makeHome(stack);
  if (isOldest) await initialiseOldest(home, await findOldestPrograms(home));
  else await initialise(home, await findPrograms(home.user), false);
  const server = stack.use(await startIn(home));
  await migrateTemplate(server.url);
  return joined(server, stack.move());
}

async function makeHome(stack: AsyncDisposableStack): Promise<Home> {
  const folder = await makeDatabaseFolder('creator-content-standby-');
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  return findHome(folder);
}

const joined = (server: ReplicatedServer, cleanUp: AsyncDisposableStack): ReplicatedServer => ({
  ...server,
  [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
});

async function startIn(home: Home): Promise<ReplicatedServer> {
  const port = await findFreePort();
  const cluster = clusterOf(home.folder);
  const programs = isOldest ? findOldestPrograms(home) : findPrograms(home.user);
  const settings = {
    ...{ listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '' },
    ...{ max_connections: '200', fsync: 'off', full_page_writes: 'off', synchronous_commit: 'remote_apply' },
    ...{ timezone: 'UTC', log_timezone: 'UTC', log_checkpoints: 'off', wal_retrieve_retry_interval: '100ms' },
  };
  const stop = await runServer(home, await programs, { settings });
  const password = isOldest ? 'any' : await readPassword(home);
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const query = <Row extends object>(statement: string) => request<Row>(url, statement);
  const pid = async () => (await readPidFile(cluster))?.pid ?? Number.NaN;
  let goOn = () => {};
  return {
    url,
    port,
    query,
    async freeze() {
      goOn = await freezeFamily(await pid());
      return goOn;
    },
    async kill() {
      process.kill(await pid(), 'SIGKILL');
      // It has ended; its child processes end soon.
      await stop();
    },
    async promote() {
      await query('select pg_promote()');
    },
    async startStandby(name) {
      const standby = await copyOf({ url, cluster }, name);
      await query(`alter system set synchronous_standby_names = '${name}'`);
      await query('select pg_reload_conf()');
      await eventually(async () => {
        const states = await query<{ sync_state: string }>(
          `select sync_state from pg_stat_replication where application_name = '${name}'`,
        );
        return states[0]?.sync_state === 'sync';
      });
      return standby;
    },
    async [Symbol.asyncDispose]() {
      // A stopped process would not receive the signal to end.
      goOn();
      await inTime('a PostgreSQL that replicates', stop());
    },
  };
}

/** Copies the files while the original runs, as a backup program does, and starts a standby on them. */
async function copyOf(
  { url, cluster }: { url: string; cluster: string },
  name: string,
): Promise<ReplicatedServer> {
  await using stack = new AsyncDisposableStack();
  const home = await makeHome(stack);
  const copy = clusterOf(home.folder);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("select pg_backup_start('copy', true)");
    await run('cp', ['-a', cluster, copy]);
    await rm(path.join(copy, 'postmaster.pid'), { force: true });
    const { rows } = await client.query<{ labelfile: string }>(
      'select labelfile from pg_backup_stop(wait_for_archive => false)',
    );
    await writeFile(path.join(copy, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
  await writeFile(path.join(copy, 'standby.signal'), '');
  const { port, username, password } = new URL(url);
  await writeFile(
    path.join(copy, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=${username} password=${password} application_name=${name}'\n`,
  );
  const { uid, gid } = home.user;
  if (uid !== undefined) await run('chown', ['-R', `${uid}:${gid}`, copy]);
  return joined(stack.use(await startIn(home)), stack.move());
}

async function request<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set synchronous_commit = local');
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
