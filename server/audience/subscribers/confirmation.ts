import type { InferEntity, RequiredEntityData } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { z } from 'zod';
import { recordEvent } from '../../../shared/content/write.ts';
import { activeSubscriber, type subscriber } from '../../../shared/contract/audience/subscriber.ts';
import { mailboxOf } from '../../../shared/contract/email.ts';
import { newsletter } from '../../../shared/contract/features/mailings.ts';
import type { LimitName } from '../../../shared/contract/limits.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { SubscriberEntity } from '../../../shared/db/entities/audience.ts';
import { Suppression } from '../../../shared/db/entities/mailings.ts';
import { Site } from '../../../shared/db/entities/site.ts';
import { queueJob } from '../../../shared/db/jobs.ts';
import { suppressionHash } from '../../../shared/newsletter/mail-key.ts';
import { openConfirmToken } from '../../../shared/newsletter/mail-tokens.ts';
import { findSuppressed } from '../../../shared/newsletter/suppressions.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import type { Decision } from '../../api/rate-limiter.ts';
import { inTransaction, lockRow } from '../../api/transaction.ts';

/**
 * Returns whether new subscribers must confirm by email. False if emails are neither sent nor stored in the outbox.
 * Otherwise the owner chooses. The default is true with a mail server and false with the outbox.
 */
export async function mustConfirm({ database, mailer }: Pick<Deps, 'database' | 'mailer'>, siteId: string) {
  if (!mailer.delivers) return false;
  const sites = database.em.getKysely().selectFrom('sites').select('newsletter');
  const site = await sites.where('id', '=', siteId).executeTakeFirst();
  return site?.newsletter.confirm ?? mailer.outbox === null;
}

/**
 * Requests confirmation from an address, unless it is subscribed, has complained, or was asked too often. Resolves in
 * all of these cases, so that callers cannot distinguish them, not even by timing.
 */
export async function confirmationRequired(
  deps: Deps,
  siteId: string,
  { email, name = '', source = '' }: z.infer<typeof subscriber.create>,
): Promise<void> {
  const refused = await mayRequestConfirmation(deps, siteId, email);
  const suppressed = (await findSuppressed(deps, siteId, [email])).get(email);
  const isLeftAlone = refused !== null || suppressed === 'complained';
  // A suppressed address gets no newsletter, even if its row is `active`.
  const getsNothing = suppressed !== undefined;
  const now = deps.clock.now();
  const id = newRecordId(now, deps.randomBytes);
  await inTransaction(deps, siteId, async (em) => {
    const db = em.getKysely();
    const { rows } = await sql<{ id: string }>`
      insert into subscribers (site_id, id, email, name, source, status, soft_bounces, confirm_sent_at, created)
      select ${siteId}, ${id}, ${email}, ${name}, ${source}, 'pending', 0, ${now}::timestamptz, ${now}::timestamptz
      where not ${isLeftAlone}::boolean
      on conflict (site_id, email) do update set confirm_sent_at = excluded.confirm_sent_at,
          status = case when subscribers.status = 'active' then 'pending' else subscribers.status end
        where subscribers.status <> 'complained' and (subscribers.status <> 'active' or ${getsNothing})
      returning id`.execute(db);
    // If no confirmation is sent, the job has an unknown ID. Skipping the job would make the response faster, which
    // reveals the case.
    await requestConfirmation(em, { site_id: siteId, id: rows[0]?.id ?? id, confirm_sent_at: now });
  });
}

type Subscriber = InferEntity<typeof SubscriberEntity>;

/** Queues the email that asks a subscriber for confirmation. */
export async function requestConfirmation(
  em: Transaction,
  { site_id, id: subscriber_id, confirm_sent_at }: Pick<Subscriber, 'site_id' | 'id' | 'confirm_sent_at'>,
) {
  const payload = { site_id, subscriber_id, asked_at: confirm_sent_at?.toISOString() ?? '' };
  await queueJob(em, 'mail_confirmation', payload);
}

/**
 * Counts a confirmation request against the limits of its address. Returns the limit that refuses it, null if none
 * does. A refused request is not counted.
 */
export async function mayRequestConfirmation(
  { limiter }: Deps,
  siteId: string,
  email: string,
): Promise<Decision | null> {
  const limits: [LimitName, string][] = [
    ['confirmations_pause', `${siteId}/${email}`],
    ['confirmations_mailbox', `${siteId}/${mailboxOf(email)}`],
    ['confirmations_everywhere', mailboxOf(email)],
    ['confirmations_site', siteId],
  ];
  for (const [at, [limit, subject]] of limits.entries()) {
    const decision = await limiter.take(limit, subject);
    if (!decision || decision.allowed) continue;
    for (const taken of limits.slice(0, at)) await limiter.refund(...taken);
    return decision;
  }
  return null;
}

/**
 * Returns the content of a confirmation token, and its site. Throws `not_found` if it is invalid, if its site does not
 * exist, or after `newsletter.confirmDays`.
 */
export async function findRequested(deps: Pick<Deps, 'database' | 'secrets' | 'clock'>, token: string) {
  const { said, site } = await findTokenSite(deps, await openConfirmToken(deps, token));
  const age = deps.clock.now().getTime() - said.askedAt.getTime();
  if (age > newsletter.confirmDays * 86_400_000) throw new ApiError('not_found');
  return { said, site };
}

/**
 * Confirms a subscription, also of a person who unsubscribed before the request. A second call has no effect. Throws
 * `not_found` if the subscriber was deleted, unsubscribed after the request, or complained.
 */
export async function confirm(deps: Deps, { said }: Awaited<ReturnType<typeof findRequested>>) {
  const { siteId: site_id, subscriberId: id, askedAt, mailKey } = said;
  const now = deps.clock.now();
  await inTransaction(deps, site_id, async (em) => {
    const row = await lockRow(em, SubscriberEntity, { site_id, id });
    if (row.status === 'active') return;
    const known = { site_id, email_hash: suppressionHash(mailKey, row.email) };
    const suppression = await em.findOne(Suppression, known);
    const hasLeftSince = [row.ended_at, suppression?.created].some(
      (timestamp) => timestamp && timestamp > askedAt,
    );
    const hasComplained = [row.status, suppression?.reason].includes('complained');
    if (hasLeftSince || hasComplained) throw new ApiError('not_found');
    if (suppression) await em.nativeDelete(Suppression, known);
    await activate(em, deps, { row, confirmed_at: now });
  });
}

/**
 * Locks the subscriber with the address `wanted.email`. If there is none, creates one as `pending` from `wanted`, and
 * `isNew` is true.
 *
 * The lock is held until the transaction ends.
 */
export async function lockSubscriber(
  em: Transaction,
  { randomBytes }: Pick<Deps, 'randomBytes'>,
  wanted: Pick<Subscriber, 'site_id' | 'email' | 'name' | 'source' | 'created'>,
) {
  const { site_id, email, created } = wanted;
  const id = newRecordId(created, randomBytes);
  const isNew = await insertSubscriber(em, { ...wanted, id, status: 'pending', soft_bounces: 0 });
  return { row: await lockRow(em, SubscriberEntity, { site_id, email }), isNew };
}

/** Inserts a subscriber. Returns false without a change if the address is already on the list, in any state. */
export async function insertSubscriber(em: Transaction, row: RequiredEntityData<Subscriber>) {
  const insert = em
    .createQueryBuilder(SubscriberEntity)
    .insert(row)
    .onConflict(['site_id', 'email'])
    .ignore();
  const { affectedRows } = await insert.execute('run');
  return affectedRows > 0;
}

/** Activates a subscriber and records the event. */
export async function activate(
  em: Transaction,
  deps: Deps,
  { row, confirmed_at }: { row: Subscriber; confirmed_at: Date | null },
) {
  em.assign(row, { ...activeSubscriber, confirm_sent_at: row.confirm_sent_at, confirmed_at });
  await em.flush();
  const { site_id: siteId, id, email, name, source } = row;
  const data = { id, email, name, source, collection: 'subscribers' as const };
  await recordEvent(em, deps, { siteId, name: 'newsletter.subscribe', data });
}

/**
 * Returns the content of a token with the ID, name and language of its site. Throws `not_found` for an invalid token or
 * unknown site.
 */
export async function findTokenSite<Token extends { siteId: string }>(
  { database }: Pick<Deps, 'database'>,
  said: Token | null,
) {
  if (!said) throw new ApiError('not_found');
  const site = await database.em.fork().findOne(Site, said.siteId, { fields: ['id', 'name', 'language'] });
  if (!site) throw new ApiError('not_found');
  const { id, name, language } = site;
  return { said, site: { id, name, language } };
}
