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
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { expect, test } from 'vitest';
import { listenForBounces } from '../../worker/newsletters/bounces/listener.ts';
import { eventually } from '../support/eventually.ts';
import { captureLog } from '../support/log.ts';
import { startMailingSite, startMailingWorker, until } from '../support/mailing-site.ts';
import { findFreePort } from '../support/process.ts';
import { ownerClient } from '../support/rpc.ts';

/** Folder of Postfix's programs on Debian. */
const programs = '/usr/lib/postfix/sbin';

/** Returns the reason why Postfix cannot run here; null if it can. */
function lacksPostfix(): string | null {
  if (!existsSync(join(programs, 'master'))) return 'it is not installed: apt install postfix';
  return process.getuid?.() === 0 ? null : 'it begins as root';
}

/**
 * Starts a Postfix of the test in its own folder, which relays mail of each domain to a port of this machine. Dispose
 * of it with `await using`.
 */
async function startPostfix(domains: Readonly<Record<string, number>>) {
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

const lack = lacksPostfix();
const bounceDomain = 'bounces.example.com';

/**
 * Starts a mail server that does not know addresses beginning with `gone`, and rejects mail to `strict`
 * addresses as spam.
 */
async function startMailboxes() {
  const taken: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onRcptTo({ address }, _session, done) {
      if (address.startsWith('gone')) return done(refusal(550, '5.1.1 no such mailbox'));
      done(address.startsWith('strict') ? refusal(550, '5.7.1 looks like spam') : null);
    },
    onData(stream, { envelope }, done) {
      taken.push(...envelope.rcptTo.map(({ address }) => address));
      stream.on('end', () => done()).resume();
    },
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return {
    taken,
    port: (listening.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

const refusal = (responseCode: number, message: string) =>
  Object.assign(new Error(message), { responseCode });

test.skipIf(lack)(
  `bounces of mail that Postfix accepts but cannot deliver count against the reader or the mail${lack ? ` (skipped: ${lack})` : ''}`,
  async () => {
    await using site = await startMailingSite();
    await using mailboxes = await startMailboxes();
    const { logger } = captureLog();
    await using bounces = await listenForBounces(
      { ...site.deps, logger },
      { domain: bounceDomain, host: '127.0.0.1', port: 0 },
    );
    await using postfix = await startPostfix({ 'example.com': mailboxes.port, [bounceDomain]: bounces.port });
    await site.subscribe(['ada@example.com', 'gone@example.com', 'strict@example.com']);
    const { studio } = ownerClient(site.baseUrl, await site.seed.ownerToken(site.siteId));
    const { id: post_id } = await studio.posts.create.mutate({ title: 'News', content: 'Hello.' });
    await using _worker = await startMailingWorker(site, postfix.url, { bounceDomain });
    const id = await site.mail(post_id);
    const ended = await until(site, id, ({ status, bounced }) => status === 'sent' && bounced === 2).catch(
      () => postfix.log(),
    );
    expect(ended).toEqual({ status: 'sent', pause_reason: null, accepted: 1, bounced: 2 });
    expect(mailboxes.taken).toEqual(['ada@example.com']);
    expect(await site.run('select email, status from subscribers order by email')).toEqual([
      { email: 'ada@example.com', status: 'active' },
      { email: 'gone@example.com', status: 'bounced' },
      { email: 'strict@example.com', status: 'active' },
    ]);
    expect(
      await site.run(
        `select email, reply_status from mailing_recipients where state = 'bounced' order by email`,
      ),
    ).toEqual([
      { email: 'gone@example.com', reply_status: '5.1.1' },
      { email: 'strict@example.com', reply_status: '5.7.1' },
    ]);
  },
);
