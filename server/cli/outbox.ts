import type { Command } from 'commander';
import { openOutbox } from '../../shared/mail/route.ts';
import { opsSettings } from '../env.ts';
import { readHeads, readWhole } from '../features/outbox/kept-mail.ts';
import { table } from './table.ts';

/** `pnpm ops outbox`. No database is needed for it. */
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
      if (!mail) throw new Error(`No email has the id ${id}: list all with \`npx -y pnpm ops outbox list\`.`);
      console.log(`From: ${mail.from}\nTo: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text}`);
    });
}
