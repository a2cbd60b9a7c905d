import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { z } from 'zod';
import { makeDatabaseFolder } from '../support/database-folder.ts';
import { eventually } from '../support/eventually.ts';
import { familyOf, freezeFamily, signal } from '../support/process.ts';

const run = promisify(execFile);
const deploy = path.join(import.meta.dirname, '../../deploy/patroni');

/** Addresses of the nodes on this machine. They replace the addresses in the files of `deploy/patroni`. */
const network = '127.0.10.';
const nodes = ['one', 'two', 'three'].map((name, at) => ({ name, address: `${network}${at + 1}` }));

/** True if all programs are installed and the user is root, who can become PostgreSQL's user and block ports. */
export const isInstalled =
  process.getuid?.() === 0 &&
  ['patroni', 'patronictl', 'etcd', 'haproxy', 'iptables', 'setpriv'].every((program) => {
    try {
      return execFileSync('which', [program]).length > 0;
    } catch {
      return false;
    }
  });

const Cluster = z.object({
  members: z.array(
    z.object({ name: z.string(), role: z.string(), state: z.string(), timeline: z.number().optional() }),
  ),
});

/**
 * Starts three PostgreSQL servers with Patroni, etcd and HAProxy from the files in `deploy/patroni`, as far
 * as one machine allows.
 */
export async function startCluster() {
  await using stack = new AsyncDisposableStack();
  const folder = await makeDatabaseFolder('creator-content-patroni-');
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  await run('chown', ['postgres:', folder]);
  const read = async (file: string) =>
    (await readFile(path.join(deploy, file), 'utf8')).replaceAll('10.0.0.', network);
  const start = async (log: string, command: readonly string[], env: Record<string, string> = {}) => {
    const [program = '', ...args] = command;
    const file = await open(path.join(folder, `${log}.log`), 'a');
    const child = spawn(program, args, {
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', file.fd, file.fd],
    });
    await file.close();
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    stack.defer(async () => {
      child.kill('SIGTERM');
      await Promise.race([ended, delay(20_000)]);
      child.kill('SIGKILL');
    });
  };

  const pidOf = async (name: string) =>
    Number.parseInt(
      await readFile(path.join(folder, name, 'data', 'postmaster.pid'), 'utf8').catch(() => ''),
      10,
    );
  stack.defer(async () => {
    for (const { name } of nodes) signal(await familyOf((await pidOf(name)) || -1), 'SIGKILL');
  });
  const etcd = variablesOf(await read('etcd.environment'));
  for (const { name, address } of nodes) {
    const env = ofNode(etcd, name, address);
    await start(`etcd-${name}`, ['etcd'], {
      ...env,
      ETCD_INITIAL_CLUSTER: etcd.ETCD_INITIAL_CLUSTER ?? '',
      ETCD_DATA_DIR: path.join(folder, `etcd-${name}`),
    });
  }
  const variables = variablesOf(await read('node.environment'));
  const config = await read('patroni.yml');
  for (const { name, address } of nodes) {
    const home = path.join(folder, name);
    await mkdir(home);
    await run('chown', ['postgres:', home]);
    const own = config
      .replace('/var/lib/postgresql/15/content', path.join(home, 'data'))
      .replace(/^postgresql:$/m, `postgresql:\n  parameters:\n    unix_socket_directories: '${home}'`)
      .replace(/^( +- )(host replication replicator) .*$/m, '$&\n$1$2 127.0.0.1/32 scram-sha-256');
    await writeFile(path.join(home, 'config.yml'), own);
    const env = { ...ofNode(variables, name, address), PATRONI_POSTGRESQL_PGPASS: path.join(home, 'pgpass') };
    const asPostgres = ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'];
    await start(`patroni-${name}`, [...asPostgres, 'patroni', path.join(home, 'config.yml')], env);
  }
  await writeFile(path.join(folder, 'haproxy.cfg'), await read('haproxy.cfg'));
  await start('haproxy', ['haproxy', '-db', '-f', path.join(folder, 'haproxy.cfg')]);

  /** Returns the members of the cluster, as the first node that responds sees them; empty if none does. */
  async function look() {
    for (const { address } of nodes) {
      const signal = AbortSignal.timeout(1_000);
      const answer = await fetch(`http://${address}:8008/cluster`, { signal }).catch(() => null);
      const body = answer?.ok && (await answer.json().catch(() => null));
      if (body) return Cluster.parse(body).members;
    }
    return [];
  }
  /** Resolves with the primary's name when all members run and commits wait for a synchronous standby. */
  const steady = () =>
    eventually(async () => {
      const members = await look();
      const leader = members.find(({ role }) => role === 'leader');
      const isGood =
        members.length === nodes.length &&
        members.some(({ role }) => role === 'sync_standby') &&
        members.every(
          ({ state, timeline }) => /running|streaming/.test(state) && timeline === leader?.timeline,
        );
      if (!isGood) await delay(200);
      return isGood && leader ? leader.name : null;
    }, 180_000);
  await steady();
  const user = `${variables.PATRONI_SUPERUSER_USERNAME}:${variables.PATRONI_SUPERUSER_PASSWORD}`;
  const cleanUp = stack.move();
  return {
    folder,
    steady,
    /** Connection strings through HAProxy, and with a list of all hosts. */
    proxied: `postgres://${user}@127.0.0.1:6432/postgres?target_session_attrs=read-write`,
    listed: `postgres://${user}@${nodes.map(({ address }) => `${address}:5432`).join()}/postgres`,
    /** Resolves when a node other than `old` commits a write, which a standby has confirmed. */
    async isWritable(old: string) {
      const others = nodes.filter(({ name }) => name !== old);
      return eventually(async () => {
        for (const { address } of others)
          if (await takesWrite(`postgres://${user}@${address}:5432/postgres`)) return true;
        return null;
      }, 120_000);
    },
    strikes: {
      'kill -9': async (name: string) => {
        process.kill(await pidOf(name), 'SIGKILL');
        return () => {};
      },
      frozen: async (name: string) => freezeFamily(await pidOf(name)),
      'port blocked': async (name: string) => {
        const address = nodes.find((node) => node.name === name)?.address ?? '';
        const rule = [
          'INPUT',
          '-d',
          address,
          '-p',
          'tcp',
          '-m',
          'multiport',
          '--dports',
          '5432,8008',
          '-j',
          'DROP',
        ];
        execFileSync('iptables', ['-I', ...rule]);
        return () => void execFileSync('iptables', ['-D', ...rule]);
      },
      switchover: async (name: string) => {
        await run(
          'patronictl',
          ['-c', path.join(folder, name, 'config.yml'), 'switchover', 'content', '--force'],
          {
            env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8', ...variables },
          },
        );
        return () => {};
      },
    },
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  };
}

const variablesOf = (text: string): Record<string, string> =>
  Object.fromEntries(Array.from(text.matchAll(/^([A-Z0-9_]+)=(.*)$/gm), ([, name, value]) => [name, value]));

/** Returns the first node's settings, adapted to another node. */
const ofNode = (variables: Record<string, string>, name: string, address: string) =>
  Object.fromEntries(
    Object.entries(variables).map(([key, value]) => [
      key,
      key.endsWith('_NAME') && value === 'one' ? name : value.replaceAll(`${network}1:`, `${address}:`),
    ]),
  );

async function takesWrite(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 500, query_timeout: 1_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('create table if not exists probe (at timestamptz); insert into probe values (now())');
    return true;
  } catch {
    return false;
  } finally {
    client.end().catch(() => {});
  }
}
