import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLogger } from '../process/logger.ts';
import { createMailTransport } from './mailer.ts';

async function loggedIn(NODE_ENV: string): Promise<string> {
  const lines: string[] = [];
  const sink = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
  const logger = createLogger({ LOG_LEVEL: 'trace', NODE_ENV }, sink);
  const mail = createMailTransport(undefined, 'no-reply@example.com', logger);
  await mail.send({
    to: 'ada@example.com',
    subject: '123456 is the code',
    text: 'https://example.com/#token',
  });
  return lines.join('');
}

test('without a mail server the log is the mailbox of a service that is tried', async () => {
  const log = await loggedIn('development');
  expect(log).toContain('123456');
  expect(log).toContain('#token');
});

test('in production no log has the codes and links of mails, only for whom they were', async () => {
  const log = await loggedIn('production');
  expect(log).toContain('no SMTP_URL: this message was not sent');
  expect(log).toContain('ada@example.com');
  expect(log).not.toMatch(/123456|token/);
});
