import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { findFreePort } from './process.ts';

/** Folder of Postfix's programs on Debian. */
const programs = '/usr/lib/postfix/sbin';

/** Returns the reason why Postfix cannot run here; null if it can. */
export function lacksPostfix(): string | null {
  if (!existsSync(join(programs, 'master'))) return 'it is not installed: apt install postfix';
  return process.getuid?.() === 0 ? null : 'it begins as root';
}

/**
 * Starts a Postfix of the test in its own folder, which relays mail of each domain to a port of this machine. Dispose
 * of it with `await using`.
 */
export async function startPostfix(domains: Readonly<Record<string, number>>) {
  const { POSTFIX_USER: user = 'postfix', POSTFIX_GROUP: group = 'postdrop' } = process.env;
  const folder = mkdtempSync(join(tmpdir(), 'creator-content-postfix-'));
  // The owner of the queue needs access.
  chmodSync(folder, 0o755);
  const at = (...names: string[]) => join(folder, ...names);
  const uid = Number(execFileSync('id', ['-u', user], { encoding: 'utf8' }));
  const port = await findFreePort();
  for (const name of ['', 'etc', 'data', 'queue', ...queues.map((queue) => `queue/${queue}`)]) {
    mkdirSync(at(name), { recursive: true, mode: 0o755 });
    if (name !== '' && name !== 'etc' && name !== 'queue') chownSync(at(name), uid, 0);
  }
  const routes = Object.entries(domains).map(([domain, to]) => `${domain}=smtp:[127.0.0.1]:${to}`);
  const settings = {
    compatibility_level: '3.6',
    queue_directory: at('queue'),
    data_directory: at('data'),
    daemon_directory: programs,
    mail_owner: user,
    setgid_group: group,
    maillog_file: at('log'),
    maillog_file_prefixes: folder,
    myhostname: 'relay.example.net',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    mynetworks: '127.0.0.0/8',
    mydestination: '',
    alias_maps: '',
    smtpd_relay_restrictions: 'permit_mynetworks, reject',
    smtp_dns_support_level: 'disabled',
    transport_maps: `inline:{${routes.join(', ')}}`,
    bounce_notice_recipient: 'postmaster@relay.example.net',
  };
  const main = Object.entries(settings).map((pair) => pair.join(' = '));
  writeFileSync(at('etc', 'main.cf'), `${main.join('\n')}\n`);
  const all = [`127.0.0.1:${port} inet n - n - - smtpd`, ...services];
  writeFileSync(at('etc', 'master.cf'), `${all.join('\n')}\n`);
  // Postfix ends its whole process group, so it needs its own.
  const master = spawn(join(programs, 'master'), ['-c', at('etc'), '-d'], {
    stdio: 'ignore',
    detached: true,
  });
  const log = () => (existsSync(at('log')) ? readFileSync(at('log'), 'utf8') : '');
  await eventually(() => answers(port));
  return {
    url: `smtp://127.0.0.1:${port}`,
    log,
    async [Symbol.asyncDispose]() {
      await end(master);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const queues =
  'active bounce corrupt defer deferred flush hold incoming maildrop pid private public saved trace'.split(
    ' ',
  );

const services = [
  'cleanup unix n - n - 0 cleanup',
  'qmgr unix n - n 300 1 qmgr',
  'rewrite unix - - n - - trivial-rewrite',
  'bounce unix - - n - 0 bounce',
  'defer unix - - n - 0 bounce',
  'trace unix - - n - 0 bounce',
  'smtp unix - - n - - smtp',
  'error unix - - n - - error',
  'retry unix - - n - - error',
  'proxymap unix - - n - - proxymap',
  'anvil unix - - n - 1 anvil',
  'postlog unix-dgram n - n - 1 postlogd',
];

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.once('connect', () => socket.end());
  });

async function end(master: ChildProcess) {
  if (master.exitCode !== null) return;
  master.kill('SIGTERM');
  await once(master, 'exit');
}
