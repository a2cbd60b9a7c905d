import type { Command } from 'commander';
import { readEmail } from '../../../shared/contract/email.ts';
import { openOutbox } from '../../../shared/mail/mail-route.ts';
import { createMailTransport, senderOf } from '../../../shared/mail/mailer.ts';
import { createLogger } from '../../../shared/runtime/logger.ts';
import { opsCommand } from '../../../shared/runtime/ops-command.ts';
import { dkimIn } from '../../../shared/runtime/settings/mail-variables.ts';
import { describeSettings } from '../../../shared/runtime/settings/read-settings.ts';
import { readHeads, readWhole } from '../../audience/outbox/read-outbox.ts';
import { mailCheckSettings, opsSettings } from '../../start/env.ts';
import { MailCheckSettings } from '../../start/settings.ts';
import { table } from '../table.ts';
import { checkMail, createDns, type DnsOptions, type Finding } from './check-mail.ts';

/** Adds `pnpm ops mail`, which needs no database. */
export function addMail(program: Command, options: DnsOptions) {
  const mail = program.command('mail').description('checks of email delivery');

  mail
    .command('check [address]')
    .description(
      'check the DNS records that your mail settings need (SPF, DKIM, DMARC, bounces, PTR); with an address, also send a test email',
    )
    .addHelpText('after', `\nSettings are environment variables:\n\n${describeSettings(MailCheckSettings)}`)
    .action(async (address: string | undefined) => {
      const settings = mailCheckSettings();
      const to = address === undefined ? null : readAddress(address);
      const findings = await checkMail(createDns(options), setupOf(settings));
      console.log(findings.map(lines).join('\n\n'));
      if (to !== null) await sendTest(settings, to);
      const lacking = findings.filter(({ is }) => is === 'missing' || is === 'wrong').length;
      if (lacking > 0) throw new Error(`\n${lacking} of ${findings.length} checks failed.`);
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

function lines({ what, is, says, record }: Finding): string {
  const first = `${what.padEnd(5)}  ${is.padEnd(7)}  ${says}`;
  return record ? `${first}\n\n  ${record.name}. ${record.type}\n  ${record.value}` : first;
}

/** Sends a test email. Throws with the mail server's answer if it refuses. */
async function sendTest(settings: MailCheckSettings, to: string) {
  const { SMTP_URL: url, PUBLIC_URL } = settings;
  if (!url) throw new Error('\nTest email not sent: SMTP_URL is not set.');
  const from = senderOf(PUBLIC_URL);
  const logger = createLogger({ LOG_LEVEL: 'silent', NODE_ENV: 'production' });
  const text = `${PUBLIC_URL.origin} sends mail as ${from}. View the source of this message: its Authentication-Results header should contain spf=pass, dkim=pass and dmarc=pass.\n`;
  await createMailTransport({ url, dkim: dkimIn(settings) }, from, logger)
    .send({ kind: 'notice', siteId: '', to, subject: 'Test of your mail settings', text })
    .catch((error: unknown) => {
      throw new Error(`\nTest email not sent: ${error instanceof Error ? error.message : error}`);
    });
  console.log(
    `\nTest email sent to ${to}. View its source: Authentication-Results should contain spf=pass, dkim=pass and dmarc=pass.`,
  );
}

/** Adds `pnpm ops outbox`, which needs no database. */
export function addOutbox(program: Command, mediaDir: string) {
  const outbox = program
    .command('outbox')
    .description('emails of all sites that were stored because no mail server is set');
  const open = () => openOutbox(opsSettings().MEDIA_URL ?? mediaDir);

  outbox
    .command('list')
    .description('list stored emails, newest first')
    .action(async () => {
      const mails = open();
      const heads = await readHeads(mails, await mails.list());
      console.log(
        table(
          heads.map(({ kept: { id, created, kind, siteId: site_id }, to, subject }) => ({
            id,
            created,
            kind,
            site_id,
            to,
            subject,
          })),
        ),
      );
    });

  outbox
    .command('show <id>')
    .description('show a stored email')
    .action(async (id: string) => {
      const mails = open();
      const kept = (await mails.list()).find((mail) => mail.id === id);
      const mail = kept && (await readWhole(mails, kept));
      if (!mail)
        throw new Error(`No email has the id ${id}: list all with \`${opsCommand('outbox list')}\`.`);
      console.log(`From: ${mail.from}\nTo: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text}`);
    });
}
