import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOutbox } from '../../shared/mail/outbox.ts';

/**
 * Clock of the machine that never returns the same millisecond twice. Emails are sorted by time, and two may be stored
 * within one.
 */
function createMoments() {
  let last = 0;
  return {
    now() {
      last = Math.max(last + 1, Date.now());
      return new Date(last);
    },
  };
}

/** Creates an outbox in its own folder, in which later emails are newer. Dispose of it with `await using`. */
export async function makeOutbox() {
  const parent = await mkdtemp(join(tmpdir(), 'creator-content-outbox-'));
  const folder = join(parent, 'outbox');
  return Object.assign(createOutbox(folder, { clock: createMoments(), randomBytes }), {
    folder,
    text: (name: string) => readFile(join(folder, name), 'utf8'),
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true }),
  });
}

/** Returns a newsletter as it is sent. */
export const newsletterTo = (email: string, subject = 'Why types pay') =>
  Buffer.from(
    [
      'From: Ada Marsh <no-reply@example.com>',
      `To: <${email}>`,
      `Subject: ${subject}`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/alternative; boundary="b"',
      '',
      '--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nIn short: https://example.com/newsletter/unsubscribe/x\r\n',
      '--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html><body style="margin:0"><p style="color:#0b57d0">In short.</p></body></html>\r\n',
      '--b--\r\n',
    ].join('\r\n'),
  );
