import { sql } from 'kysely';
import { webhookLimits as webhooks } from '../shared/contract/features/webhooks.ts';
import type { JobPayload, WebhookNews } from '../shared/db/jobs.ts';
import { type LetterDeps, mailOwners } from './letters.ts';

/** Mails a site's owners what became of a webhook. Nobody is told of one that is gone. Rejects when the mail isn't taken. */
export async function notifyOwner(
  deps: LetterDeps,
  { site_id, subscription_id, news }: JobPayload<'tell_owner'>,
) {
  const { rows } = await sql<{ url: string }>`
    select url from webhook_subscriptions where site_id = ${site_id} and id = ${subscription_id}`.execute(
    deps.database.em.getKysely(),
  );
  const [subscription] = rows;
  if (!subscription) return;
  // Paths and queries of webhooks are often secrets themselves.
  const { host } = new URL(subscription.url);
  const link = new URL(`/studio/tools/webhooks/${subscription_id}`, deps.publicUrl).href;
  await mailOwners(deps, site_id, (site) => ({
    ...messages[news]({ site, host, link }),
    action: { href: link, label: 'Open the webhook' },
  }));
}

interface Webhook {
  site: string;
  host: string;
  link: string;
}

const messages: Record<WebhookNews, (webhook: Webhook) => { subject: string; text: string }> = {
  failing: ({ site, host, link }) => ({
    subject: `${site}: a webhook is failing`,
    text: `The last ${webhooks.failuresToNotify} attempts to send events to ${host} failed.

After ${webhooks.failuresToDisable} failures in a row the webhook is switched off. See the failed attempts and their errors:
${link}
`,
  }),
  switched_off: ({ site, host, link }) => ({
    subject: `${site}: a webhook was switched off`,
    text: `The last ${webhooks.failuresToDisable} attempts to send events to ${host} failed, so its webhook is switched off.

No event is lost. When the receiver works again, switch the webhook on and replay the missed events within seven days:
${link}
`,
  }),
};
