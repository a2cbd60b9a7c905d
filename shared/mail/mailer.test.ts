import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { makeOutbox } from '../../test/support/outbox.ts';
import { createLogger } from '../runtime/logger.ts';
import { createMailTransport, type MailRoute } from './mailer.ts';

const code = {
  kind: 'code',
  siteId: 'mb3k9x2a7f0q1zd',
  to: 'ada@example.com',
  subject: 'Your code',
  text: 'Your code is 123456',
  html: '<p>Your code is 123456</p>',
} as const;
const reset = {
  ...code,
  kind: 'reset',
  text: 'https://example.com/#token',
  html: '<a href="https://example.com/#token">',
} as const;

async function loggedIn(NODE_ENV: string, route: MailRoute): Promise<string> {
  const lines: string[] = [];
  const sink = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
  const mail = createMailTransport(
    route,
    'no-reply@example.com',
    createLogger({ LOG_LEVEL: 'trace', NODE_ENV }, sink),
  );
  await mail.send(code);
  await mail.send(reset);
  return lines.join('');
}

test('with an outbox, the log contains the file of each email, and the code of a code email', async () => {
  await using outbox = await makeOutbox();
  const log = await loggedIn('development', outbox);
  for (const { name } of await outbox.list()) expect(log).toContain(name);
  expect(log).toContain('123456');
  expect(log).not.toContain('#token');
});

test('in production the log contains receivers of email, but no codes and links', async () => {
  const log = await loggedIn('production', undefined);
  expect(log).toContain('email not sent: SMTP_URL is not set');
  expect(log).toContain('ada@example.com');
  expect(log).not.toMatch(/123456|token/);
});
