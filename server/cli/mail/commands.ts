import type { Command } from 'commander';
import { readEmail } from '../../../shared/contract/email.ts';
import { createMailTransport, senderOf } from '../../../shared/mail/mailer.ts';
import { createLogger } from '../../../shared/process/logger.ts';
import { dkimIn } from '../../../shared/settings/mail-variables.ts';
import { describeSettings } from '../../../shared/settings/read-settings.ts';
import { mailCheckSettings } from '../../env.ts';
import { MailCheckSettings } from '../../settings.ts';
import { checkMail, type Finding } from './check-mail.ts';
import { createDns, type DnsOptions } from './dns.ts';

/** `pnpm ops mail`. No database is needed for it. */
export function addMail(program: Command, options: DnsOptions) {
  const mail = program.command('mail').description('whether newsletters and codes get where they should');

  mail
    .command('check [address]')
    .description(
      'look up what the DNS says of mail by the settings of server and worker, and what it lacks; mail a test to an address',
    )
    .addHelpText('after', `\nSettings are environment variables:\n\n${describeSettings(MailCheckSettings)}`)
    .action(async (address: string | undefined) => {
      const settings = mailCheckSettings();
      const to = address === undefined ? null : readAddress(address);
      const findings = await checkMail(createDns(options), setupOf(settings));
      console.log(findings.map(lines).join('\n\n'));
      if (to !== null) await sendTest(settings, to);
      const lacking = findings.filter(({ is }) => is === 'missing' || is === 'wrong').length;
      if (lacking > 0) throw new Error(`\n${lacking} of ${findings.length} have to be mended.`);
    });
}

function readAddress(address: string): string {
  const read = readEmail(address);
  if ('problem' in read) throw new Error(`${address} ${read.problem}.`);
  return read.stored;
}

const setupOf = ({ PUBLIC_URL, SMTP_URL, MAIL_BOUNCE_DOMAIN, ...settings }: MailCheckSettings) => ({
  domain: PUBLIC_URL.hostname,
  bounceDomain: MAIL_BOUNCE_DOMAIN ?? null,
  dkim: dkimIn(settings),
  server: SMTP_URL === undefined ? null : new URL(SMTP_URL).hostname.replace(/^\[|\]$/g, ''),
});

/** A record stands on a line of its own, to be copied. */
function lines({ what, is, says, record }: Finding): string {
  const first = `${what.padEnd(5)}  ${is.padEnd(7)}  ${says}`;
  return record ? `${first}\n\n  ${record.name}. ${record.type}\n  ${record.value}` : first;
}

/** Throws with what the mail server said when it doesn't take it. */
async function sendTest(settings: MailCheckSettings, to: string) {
  const { SMTP_URL: url, PUBLIC_URL } = settings;
  if (!url) throw new Error('\nNo test was sent: SMTP_URL is not set.');
  const from = senderOf(PUBLIC_URL);
  const logger = createLogger({ LOG_LEVEL: 'silent', NODE_ENV: 'production' });
  const text = `${PUBLIC_URL.origin} sends mail as ${from}. In the source of this message, Authentication-Results says what your mailbox makes of it: it should have spf=pass, dkim=pass and dmarc=pass.\n`;
  await createMailTransport({ url, dkim: dkimIn(settings) }, from, logger)
    .send({ kind: 'notice', siteId: '', to, subject: 'A test of your mail settings', text })
    .catch((error: unknown) => {
      throw new Error(`\nNo test was sent: ${error instanceof Error ? error.message : error}`);
    });
  console.log(`\nA test is on its way to ${to}: its source tells what your mailbox makes of it.`);
}
