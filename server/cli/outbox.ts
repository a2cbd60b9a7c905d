import type { Command } from 'commander';
import { openOutbox } from '../../shared/mail/route.ts';
import { opsSettings } from '../env.ts';
import { readHeads, readWhole } from '../features/outbox/kept-mail.ts';
import { table } from './table.ts';

/** `pnpm ops outbox`. No database is needed for it. */
export function addOutbox(program: Command, mediaDir: string) {
  const outbox = program
    .command('outbox')
    .description('mails of all sites and kinds that were kept for want of a mail server');
  const open = () => openOutbox(opsSettings().MEDIA_URL ?? mediaDir);

  outbox
    .command('list')
    .description('list them, newest first')
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
    .description('show what one of them says')
    .action(async (id: string) => {
      const mails = open();
      const kept = (await mails.list()).find((mail) => mail.id === id);
      const mail = kept && (await readWhole(mails, kept));
      if (!mail) throw new Error(`There is no mail ${id}: \`npx -y pnpm ops outbox list\` shows all.`);
      console.log(`From: ${mail.from}\nTo: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text}`);
    });
}
