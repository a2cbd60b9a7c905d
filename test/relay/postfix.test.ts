import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { expect, test } from 'vitest';
import { listenForBounces } from '../../worker/newsletters/bounces/listener.ts';
import { captureLog } from '../support/log.ts';
import { startMailingSite, startMailingWorker, until } from '../support/mailing-site.ts';
import { lacksPostfix, startPostfix } from '../support/postfix.ts';
import { ownerClient } from '../support/rpc.ts';

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
