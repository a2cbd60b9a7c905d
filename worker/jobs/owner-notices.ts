import { sql } from 'kysely';
import type { MailingStatus, PauseReason } from '../../shared/contract/features/mailings.ts';
import { webhookLimits as webhooks } from '../../shared/contract/features/webhooks.ts';
import type { JobPayload, WebhookNews } from '../../shared/db/jobs.ts';
import { type EmailDeps, mailOwners } from './transactional-emails.ts';

/**
 * Emails a site's owners about a webhook that fails or was deactivated. Does nothing if the webhook was deleted.
 * Rejects if the mail server refuses the email.
 */
export async function notifyOwner(
  deps: EmailDeps,
  { site_id, subscription_id, news }: JobPayload<'tell_owner'>,
) {
  const { rows } = await sql<{ url: string }>`
    select url from webhook_subscriptions where site_id = ${site_id} and id = ${subscription_id}`.execute(
    deps.database.em.getKysely(),
  );
  const [subscription] = rows;
  if (!subscription) return;
  // Mention only the host, because paths and queries of webhook URLs often contain secrets.
  const { host } = new URL(subscription.url);
  const link = new URL(`/studio/tools/webhooks/${subscription_id}`, deps.publicUrl).href;
  await mailOwners(deps, site_id, (site) => ({
    ...messages[news]({ site, host, link }),
    action: { href: link, label: 'Open the webhook' },
  }));
}

const messages: Record<
  WebhookNews,
  (webhook: { site: string; host: string; link: string }) => { subject: string; text: string }
> = {
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

/**
 * Emails a site's owners why a mailing stopped. Does nothing if this is no longer the reason, for example because the
 * mailing was resumed. Rejects if the mail server refuses the email.
 */
export async function notifyOfMailing(
  deps: EmailDeps,
  { site_id, mailing_id, reason }: JobPayload<'tell_owner_of_mailing'>,
) {
  const { rows } = await sql<{ subject: string; status: MailingStatus }>`
    select coalesce(nullif(m.subject, ''), p.title, '') as subject, m.status
    from mailings m left join posts p on p.site_id = m.site_id and p.id = m.post_id
    where m.site_id = ${site_id} and m.id = ${mailing_id} and m.pause_reason = ${reason}`.execute(
    deps.database.em.getKysely(),
  );
  const [mailing] = rows;
  if (!mailing) return;
  const isOver = mailing.status === 'cancelled';
  const link = new URL(`/studio/newsletters/${mailing_id}`, deps.publicUrl).href;
  await mailOwners(deps, site_id, (site) => ({
    subject: `${site}: a newsletter ${isOver ? 'was not sent' : 'was paused'}`,
    text: `"${mailing.subject}": ${reasons[reason]}

${isOver ? 'No reader received it. Correct the post, then send it again:' : 'No email is lost or sent twice. Resume the newsletter when the problem is solved:'}
${link}
`,
    action: { href: link, label: 'Open the newsletter' },
  }));
}

/**
 * Emails a site's owners that Stripe refuses the key. Does nothing if the connection works again. Rejects if the mail server refuses
 * the email.
 */
export async function notifyOfPayments(deps: EmailDeps, { site_id }: JobPayload<'tell_owner_of_payments'>) {
  const { rows } = await sql`
    select from payment_connections where site_id = ${site_id} and state = 'broken'`.execute(
    deps.database.em.getKysely(),
  );
  if (rows.length === 0) return;
  const link = new URL('/studio/payments', deps.publicUrl).href;
  await mailOwners(deps, site_id, (site) => ({
    subject: `${site}: Stripe refuses your key`,
    text: `Stripe refuses the key of your site: it was revoked, has expired or lacks a permission. Until you replace it, your site sells nothing, and new payments of members do not arrive.

Your readers keep what they bought. Create a restricted key at Stripe, and connect it:
${link}
`,
    action: { href: link, label: 'Connect a key' },
  }));
}

const reasons: Record<PauseReason, string> = {
  by_owner: 'it was paused.',
  post_not_public: 'readers can no longer see its post.',
  body_not_laid_out: 'its post is too complex for an email. Shorten or simplify it.',
  relay_away: 'the mail server was unavailable for ten minutes.',
  too_many_refused:
    'mail servers refused more than ten of the first addresses. Check that these people subscribed.',
  refused_by_policy:
    'mail servers refused or returned ten or more emails because of their content, for example as spam.',
};
