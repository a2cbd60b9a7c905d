import { sql } from 'kysely';
import { webhookLimits as webhooks } from '../shared/contract/features/webhooks.ts';
import type { Database } from '../shared/db/config.ts';
import type { JobPayload, WebhookNews } from '../shared/db/jobs.ts';
import { getLetterSite, letterOf } from '../shared/mail/letter.ts';
import type { Mail, MailTransport } from '../shared/mail/mailer.ts';

export interface NotifyOwnerDeps {
  database: Database;
  mail: MailTransport;
  /** The service's own origin. */
  publicUrl: URL;
}

interface Notice {
  site: string;
  /** Addresses of the site's owners. */
  owners: string[];
  url: string;
}

/** Mails a site's owners what became of a webhook. Nobody is told of one that is gone. Rejects when the mail isn't taken. */
export async function notifyOwner(
  { database, mail, publicUrl }: NotifyOwnerDeps,
  { site_id, subscription_id, news }: JobPayload<'tell_owner'>,
) {
  const { rows } = await sql<Notice>`
    select site.name as site, s.url, array(
        select p.email from site_people m join people p on p.id = m.person_id
        where m.site_id = site.id and m.role = 'owner' order by m.created, p.id
      ) as owners
    from webhook_subscriptions s join sites site on site.id = s.site_id
    where s.site_id = ${site_id} and s.id = ${subscription_id}`.execute(database.em.getKysely());
  const [told] = rows;
  if (!told || told.owners.length === 0) return;
  const where = new URL(`/studio/tools/webhooks/${subscription_id}`, publicUrl).href;
  const letter = await letterOf(await getLetterSite(database, site_id), {
    ...messages[news](told, where),
    action: { href: where, label: 'Look at the webhook' },
  });
  await mail.send({ kind: 'notice', siteId: site_id, to: told.owners, ...letter });
}

/** Paths and queries of webhooks are often secrets themselves, so a mail names the host only. */
const messages: Record<WebhookNews, (told: Notice, where: string) => Pick<Mail, 'subject' | 'text'>> = {
  failing: ({ site, url }, where) => ({
    subject: `${site}: a webhook is failing`,
    text: `The last ${webhooks.failuresToNotify} attempts to send events to ${new URL(url).host} failed.

After ${webhooks.failuresToDisable} failures in a row the webhook is switched off. What failed, and why:
${where}
`,
  }),
  switched_off: ({ site, url }, where) => ({
    subject: `${site}: a webhook was switched off`,
    text: `The last ${webhooks.failuresToDisable} attempts to send events to ${new URL(url).host} failed, so its webhook is switched off.

Nothing is lost: once the receiver works again, switch the webhook on, and replay what it missed within seven days:
${where}
`,
  }),
};
