import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { expect, test } from 'vitest';
import { dkimRecord } from '../../shared/mail/dkim.ts';
import { openMailRoute } from '../../shared/mail/mail-route.ts';
import { createMailTransport } from '../../shared/mail/mailer.ts';
import { WorkerSettings } from '../../worker/settings.ts';
import { captureLog } from '../support/log.ts';
import { startMailServer } from '../support/mail-server.ts';
import { startMailingSite, startMailingWorker, until } from '../support/mailing-site.ts';
import { runNode } from '../support/process.ts';
import { ownerClient } from '../support/rpc.ts';

// Email is signed with the operator's key. The mailauth library verifies the bytes that a mail server received.

const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
const selector = 's1';

/** Returns the result of the verification: the signing domain and the signed headers. */
async function verdictOn(raw: string) {
  const requested: string[] = [];
  const { results } = await dkimVerify(raw, {
    resolver: async (name: string) => {
      requested.push(name);
      return [[dkimRecord(key)]];
    },
  });
  return {
    asked: requested,
    verdicts: results.map(({ status, signingDomain, signingHeaders }) => ({
      result: status.result,
      signingDomain,
      signed: signingHeaders?.keys,
    })),
  };
}

test('each newsletter email is signed by the domain of its sender, including both List headers', async () => {
  await using site = await startMailingSite();
  await using mail = await startMailServer();
  const { studio } = ownerClient(site.baseUrl, await site.seed.ownerToken(site.siteId));
  await site.subscribe(['ada@example.com', 'bob@example.com']);
  await using _worker = await startMailingWorker(site, mail.url, { dkim: { key, selector } });
  const content = `${'Größe,  two blanks and \\. dots. '.repeat(60)}\n\n.\n\n..\n\n    code  \n`;
  const { id: post_id } = await studio.posts.create.mutate({ title: 'Größe "A"', content });
  await until(site, await site.mail(post_id), ({ status }) => status === 'sent');

  expect(mail.mails).toHaveLength(2);
  for (const { raw } of mail.mails) {
    const { asked: requested, verdicts } = await verdictOn(raw);
    expect(requested).toEqual(['s1._domainkey.example.com']);
    expect(verdicts).toEqual([
      {
        result: 'pass',
        signingDomain: 'example.com',
        signed: expect.stringMatching(/List-Unsubscribe: List-Unsubscribe-Post/),
      },
    ]);
    const changed = raw.replace('List-Unsubscribe=One-Click', 'List-Unsubscribe=Never');
    expect((await verdictOn(changed)).verdicts).toMatchObject([{ result: 'fail' }]);
    expect((await verdictOn(raw.replace('dots', 'Dots'))).verdicts).not.toMatchObject([{ result: 'pass' }]);
  }
});

test('all other email is signed too', async () => {
  await using mail = await startMailServer();
  const settings = settingsWith({ SMTP_URL: mail.url, DKIM_KEY: pem, DKIM_SELECTOR: 'S1' }).data;
  expect(settings).toBeDefined();
  if (!settings) return;
  const transport = createMailTransport(openMailRoute(settings), 'no-reply@example.com', captureLog().logger);
  await transport.send({
    kind: 'code',
    siteId: 'mb3k9x2a7f0q1zd',
    to: 'ada@example.com',
    subject: 'Größe',
    text: 'Your code is 123456',
    html: '<p>Your code is 123456</p>',
  });
  const { verdicts } = await verdictOn(mail.mails[0]?.raw ?? '');
  expect(verdicts).toMatchObject([{ result: 'pass', signingDomain: 'example.com' }]);
});

const settingsWith = (settings: Record<string, string>) =>
  WorkerSettings.safeParse({
    DATABASE_URL: 'postgres://127.0.0.1/none',
    SECRET_KEY: 'a key that is long enough',
    ...settings,
  });

test('a DKIM key that cannot sign or lacks its selector ends the start with a message that does not contain the key', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'creator-content-dkim-'));
  const file = join(folder, 'dkim.pem');
  await writeFile(file, pem);
  const refusal = (settings: Record<string, string>) => {
    const { error } = settingsWith(settings);
    return error ? error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) : [];
  };
  expect(refusal({ DKIM_KEY: file, DKIM_SELECTOR: selector })).toEqual([]);
  expect(refusal({ DKIM_KEY: pem.replaceAll('\n', '\\n'), DKIM_SELECTOR: selector })).toEqual([]);
  expect(refusal({ DKIM_KEY: pem })).toEqual(['DKIM_SELECTOR: is required with DKIM_KEY']);
  expect(refusal({ DKIM_SELECTOR: selector })).toEqual(['DKIM_KEY: is required with DKIM_SELECTOR']);
  const small = generateKeyPairSync('rsa', { modulusLength: 512 }).privateKey;
  const curve = generateKeyPairSync('ed25519').privateKey;
  for (const other of [small, curve])
    expect(
      refusal({
        DKIM_KEY: other.export({ type: 'pkcs8', format: 'pem' }).toString(),
        DKIM_SELECTOR: selector,
      }),
    ).toEqual(['DKIM_KEY: expected an RSA key of 1024 to 4096 bits']);
  await rm(folder, { recursive: true });
  expect(refusal({ DKIM_KEY: file, DKIM_SELECTOR: selector })).toEqual([
    'DKIM_KEY: expected a private key in PEM format, or the path of a readable file that contains one',
  ]);

  const bad = pem.replace(/\n.{64}\n/, '\nsecret\n');
  const { exitCode, output } = await runNode(['worker/main.ts'], {
    DATABASE_URL: 'postgres://127.0.0.1/none',
    SECRET_KEY: 'a key that is long enough',
    DKIM_KEY: bad,
    DKIM_SELECTOR: selector,
  });
  expect(exitCode).toBe(1);
  expect(output).toContain(
    'DKIM_KEY: expected a private key in PEM format without a password; generate with: openssl genrsa 2048\n',
  );
  expect(output).not.toContain('secret');
});
