import { createTransport } from 'nodemailer';

/**
 * Process that sends the same email to many readers by nodemailer's own pool, without storing outcomes. Reports its
 * rate and CPU time.
 */
const { SMTP_URL = '', CONNECTIONS, MAILS, HTML = '', TEXT = '' } = process.env;
const mails = Number(MAILS);
const transport = createTransport({
  url: SMTP_URL,
  pool: true,
  maxConnections: Number(CONNECTIONS),
  maxMessages: 100,
} as Parameters<typeof createTransport>[0]);
const before = process.cpuUsage();
const startedAt = performance.now();
let next = 0;
async function sendOn() {
  for (let n = next++; n < mails; n = next++) {
    const unsubscribe = { url: `https://example.com/newsletter/unsubscribe/${n}`, comment: 'Unsubscribe' };
    await transport.sendMail({
      from: { name: 'Ada', address: 'news@example.com' },
      to: `reader${n}@example.com`,
      subject: 'News',
      html: HTML,
      text: TEXT,
      list: { unsubscribe },
    });
  }
}
await Promise.all(Array.from({ length: 2 * Number(CONNECTIONS) }, sendOn));
const { user, system } = process.cpuUsage(before);
process.send?.({
  perSecond: (mails * 1_000) / (performance.now() - startedAt),
  cpuMs: (user + system) / 1_000 / mails,
});
transport.close();
process.disconnect();
