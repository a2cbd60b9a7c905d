import { sql } from 'kysely';
import { emailChangeHours, passwordResetMinutes } from '../../shared/contract/features/account.ts';
import { newsletter } from '../../shared/contract/features/mailings.ts';
import { invitationDays } from '../../shared/contract/features/people.ts';
import type { RandomBytes } from '../../shared/contract/record-id.ts';
import { type Role, roleTexts } from '../../shared/contract/roles.ts';
import { sitePaths } from '../../shared/contract/site-paths.ts';
import type { Database } from '../../shared/db/config.ts';
import type { JobPayload } from '../../shared/db/jobs.ts';
import { siteStrings } from '../../shared/i18n/site-strings.ts';
import { emailChangeToken, newInvitationToken, newResetToken } from '../../shared/mail/link-tokens.ts';
import type { MailTransport } from '../../shared/mail/mailer.ts';
import { sendTransactionalEmail, type TransactionalEmail } from '../../shared/mail/transactional-email.ts';
import { getMailKey, type MailKeyDeps } from '../../shared/newsletter/mail-key.ts';
import { confirmToken } from '../../shared/newsletter/mail-tokens.ts';
import { hashSecret, type SecretBox } from '../../shared/runtime/secret-box.ts';

/** Dependencies of jobs that send transactional email. */
export interface EmailDeps {
  database: Database;
  mail: MailTransport;
  /** The service's own origin. */
  publicUrl: URL;
}

/**
 * Emails the owners of a site. `write` receives the site's name. Does nothing if there is no owner. Rejects if the mail
 * server refuses the email.
 */
export async function mailOwners(
  deps: EmailDeps,
  siteId: string,
  write: (site: string) => TransactionalEmail,
) {
  const { rows } = await sql<{ email: string }>`
    select p.email from site_people m join people p on p.id = m.person_id
    where m.site_id = ${siteId} and m.role = 'owner' order by m.created, p.id`.execute(
    deps.database.em.getKysely(),
  );
  const to = rows.map(({ email }) => email);
  if (to.length > 0)
    await sendTransactionalEmail(deps, { kind: 'notice', siteId, to }, ({ name }) => write(name));
}

/** URL of a studio page with a token. The token follows `#`, because browsers do not send fragments to servers. */
const studioLink = (publicUrl: URL, page: string, token: string) =>
  new URL(`/studio/${page}#${token}`, publicUrl).href;

/**
 * Emails a subscriber the link to confirm their subscription. Does nothing if it was confirmed or requested again
 * since. Rejects if the mail server refuses the email.
 */
export async function mailConfirmation(
  deps: EmailDeps & MailKeyDeps,
  { site_id: siteId, subscriber_id, asked_at }: JobPayload<'mail_confirmation'>,
) {
  const { rows } = await sql<{ email: string }>`
    select email from subscribers
    where site_id = ${siteId} and id = ${subscriber_id} and status not in ('active', 'complained')
      and confirm_sent_at = ${asked_at}::timestamptz`.execute(deps.database.em.getKysely());
  const [subscriber] = rows;
  if (!subscriber) return;
  const about = { siteId, subscriberId: subscriber_id, askedAt: new Date(asked_at) };
  const token = confirmToken(await getMailKey(deps, siteId), about);
  const link = new URL(sitePaths.confirm.replace(':token', token), deps.publicUrl).href;
  await sendTransactionalEmail(
    deps,
    { kind: 'confirmation', siteId, to: subscriber.email },
    ({ name, language }) => {
      const strings = siteStrings(language);
      return {
        subject: strings.confirmSubject(name),
        text: strings.confirmMail(name, link, newsletter.confirmDays),
        language: strings.language,
        action: { href: link, label: strings.subscribe },
      };
    },
  );
}

/**
 * Emails an invitation to work on a site. Does nothing if it was revoked, accepted or replaced since. Rejects if the
 * mail server refuses the email.
 */
export async function mailInvitation(
  deps: EmailDeps & { randomBytes: RandomBytes },
  { site_id: siteId, invitation_id, expires_at, by }: JobPayload<'mail_invitation'>,
) {
  const token = newInvitationToken(deps.randomBytes);
  const { rows } = await sql<{ email: string; role: Role }>`
    update invitations set token_hash = ${hashSecret(token)}
    where site_id = ${siteId} and id = ${invitation_id} and not is_used and expires_at = ${expires_at}::timestamptz
    returning email, role`.execute(deps.database.em.getKysely());
  const [invitation] = rows;
  if (!invitation) return;
  const { email, role } = invitation;
  const link = studioLink(deps.publicUrl, 'invitation', token);
  await sendTransactionalEmail(deps, { kind: 'invitation', siteId, to: email }, ({ name }) => {
    // Users choose both names, and could use line breaks to add text of their own.
    const [inviter, site] = [by, name].map((chosen) => chosen.replaceAll(/\s+/g, ' '));
    return {
      subject: `${site}: you are invited`,
      text: `${inviter} invites you to work on ${site} as ${role} (${roleTexts[role]}).

Accept the invitation here within ${invitationDays} days:
${link}

If you do not know ${inviter}, ignore this message.
`,
      action: { href: link, label: 'Accept the invitation' },
    };
  });
}

/**
 * Emails a new address the link to confirm it. Does nothing if the account was changed since the request. Rejects if
 * the mail server refuses the email.
 */
export async function mailEmailChange(
  deps: EmailDeps & { secrets: Pick<SecretBox, 'seal'> },
  { site_id: siteId, person_id, email, updated, expires_at }: JobPayload<'mail_email_change'>,
) {
  const { rows } = await sql`
    select from people p join site_people m on m.person_id = p.id and m.site_id = ${siteId}
    where p.id = ${person_id} and p.updated = ${updated}::timestamptz`.execute(deps.database.em.getKysely());
  if (rows.length === 0) return;
  const token = emailChangeToken(deps.secrets, {
    personId: person_id,
    email,
    updated: new Date(updated),
    endsAt: new Date(expires_at),
  });
  const link = studioLink(deps.publicUrl, 'new-email', token);
  await sendTransactionalEmail(deps, { kind: 'reset', siteId, to: email }, ({ name }) => ({
    subject: `${name}: confirm your new email address`,
    text: `You asked to sign in to the studio of ${name} with this email address.

Confirm the address here within ${emailChangeHours} hours:
${link}

If you did not ask for this, ignore this message: nothing changes.
`,
    action: { href: link, label: 'Confirm the address' },
  }));
}

/**
 * Notifies the old address of an account about the change. Rejects if the mail server refuses the email, or if the site
 * does not exist.
 */
export const mailEmailChanged = (
  deps: EmailDeps,
  { site_id: siteId, to, email }: JobPayload<'mail_email_changed'>,
) =>
  sendTransactionalEmail(deps, { kind: 'reset', siteId, to }, ({ name }) => ({
    subject: `${name}: your email address was changed`,
    text: `The email address of your account for the studio of ${name} was changed to ${email}. You can no longer sign in with this address.

If you did not change it, contact the operator of the service immediately.
`,
  }));

/**
 * Emails an owner the link to choose a new password; earlier links stop working. Does nothing for other addresses, or
 * if the owner requested another link or changed the password since. Rejects if the mail server refuses the email.
 */
export async function mailPasswordReset(
  deps: EmailDeps & { randomBytes: RandomBytes },
  { email, expires_at }: JobPayload<'mail_password_reset'>,
) {
  const token = newResetToken(deps.randomBytes);
  const { rows } = await sql<{ site_id: string }>`
    with person as (
      select p.id, m.site_id from people p join site_people m on m.person_id = p.id
      where p.email = ${email} order by m.created, m.site_id limit 1
    ),
    kept as (
      insert into password_resets (person_id, token_hash, is_used, expires_at)
      select id, ${hashSecret(token)}, false, ${expires_at}::timestamptz from person
      on conflict (person_id)
      do update set token_hash = excluded.token_hash, is_used = false, expires_at = excluded.expires_at
        where password_resets.expires_at < excluded.expires_at
          or (password_resets.expires_at = excluded.expires_at and not password_resets.is_used)
      returning person_id
    )
    select site_id from person join kept on kept.person_id = person.id`.execute(deps.database.em.getKysely());
  const [owner] = rows;
  if (!owner) return;
  const link = studioLink(deps.publicUrl, 'new-password', token);
  await sendTransactionalEmail(deps, { kind: 'reset', siteId: owner.site_id, to: email }, ({ name }) => ({
    subject: `${name}: choose a new password`,
    text: `You asked for a new password for the studio of ${name}.

Choose it here within ${passwordResetMinutes} minutes:
${link}

If you did not ask for this, ignore this message: your password does not change.
`,
    action: { href: link, label: 'Choose a new password' },
  }));
}
