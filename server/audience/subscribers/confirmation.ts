import type { InferEntity, RequiredEntityData } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { z } from 'zod';
import { mailboxOf } from '../../../shared/contract/email.ts';
import { newsletter } from '../../../shared/contract/features/mailings.ts';
import { activeSubscriber, type subscriber } from '../../../shared/contract/kinds/subscriber.ts';
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
import { recordEvent } from '../../events/event-log.ts';

/**
 * Whether who subscribes has to confirm it by mail: as the owner chose, else wherever there is a mail server. Mails that are
 * kept in the outbox reach nobody, who then could confirm nothing.
 */
export async function asksToConfirm({ database, mailer }: Pick<Deps, 'database' | 'mailer'>, siteId: string) {
  if (!mailer.delivers) return false;
  const sites = database.em.getKysely().selectFrom('sites').select('newsletter');
  const site = await sites.where('id', '=', siteId).executeTakeFirst();
  return site?.newsletter.confirm ?? mailer.outbox === null;
}

/**
 * Has the worker ask an address whether it wants the letters, unless it has them, complained of them, or was asked too often. Nothing
 * tells these apart, nor how long it takes.
 */
export async function askToConfirm(
  deps: Deps,
  siteId: string,
  { email, name = '', source = '' }: z.infer<typeof subscriber.create>,
): Promise<void> {
  const refused = await mayAsk(deps, siteId, email);
  const suppressed = (await findSuppressed(deps, siteId, [email])).get(email);
  const isLeftAlone = refused !== null || suppressed === 'complained';
  // A link of a row that is gone, and an archive, suppress an address whatever its row says: nobody gets anything by that one.
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
    // Of who is not asked the worker finds nobody by this id: to queue nothing would be sooner than to ask.
    await ask(em, { site_id: siteId, id: rows[0]?.id ?? id, confirm_sent_at: now });
  });
}

type Subscriber = InferEntity<typeof SubscriberEntity>;

export async function ask(
  em: Transaction,
  { site_id, id: subscriber_id, confirm_sent_at }: Pick<Subscriber, 'site_id' | 'id' | 'confirm_sent_at'>,
) {
  const payload = { site_id, subscriber_id, asked_at: confirm_sent_at?.toISOString() ?? '' };
  await queueJob(em, 'mail_confirmation', payload);
}

/** Counts an address that would be asked, whosever it is. Says what refuses that, which is not counted then. */
export async function mayAsk({ limiter }: Deps, siteId: string, email: string): Promise<Decision | null> {
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

/** Who was asked, and what may still be answered. Throws `not_found` for a token that was not given out, or is too old. */
export async function findAsked(deps: Pick<Deps, 'database' | 'secrets' | 'clock'>, token: string) {
  const { said, site } = await findLetterSite(deps, await openConfirmToken(deps, token));
  const age = deps.clock.now().getTime() - said.askedAt.getTime();
  if (age > newsletter.confirmDays * 86_400_000) throw new ApiError('not_found');
  return { said, site };
}

/**
 * Somebody wants the letters, whether or not they have left before. Again changes nothing, but who left or complained since they were
 * asked has to subscribe anew: throws `not_found`.
 */
export async function confirm(deps: Deps, { said }: Awaited<ReturnType<typeof findAsked>>) {
  const { siteId: site_id, subscriberId: id, askedAt, mailKey } = said;
  const now = deps.clock.now();
  await inTransaction(deps, site_id, async (em) => {
    const row = await lockRow(em, SubscriberEntity, { site_id, id });
    if (row.status === 'active') return;
    const known = { site_id, email_hash: suppressionHash(mailKey, row.email) };
    const suppression = await em.findOne(Suppression, known);
    const hasLeftSince = [row.ended_at, suppression?.created].some((moment) => moment && moment > askedAt);
    const hasComplained = [row.status, suppression?.reason].includes('complained');
    if (hasLeftSince || hasComplained) throw new ApiError('not_found');
    if (suppression) await em.nativeDelete(Suppression, known);
    await activate(em, deps, { row, confirmed_at: now });
  });
}

/** The subscriber with an address, locked: one that is to be asked, if nobody has it yet. */
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

/** Adds a subscriber. False, and nothing changed, where the address is on the list in any state. */
export async function insertSubscriber(em: Transaction, row: RequiredEntityData<Subscriber>) {
  const insert = em
    .createQueryBuilder(SubscriberEntity)
    .insert(row)
    .onConflict(['site_id', 'email'])
    .ignore();
  const { affectedRows } = await insert.execute('run');
  return affectedRows > 0;
}

/** Somebody gets mail from now on, which is told. */
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

/** The site that has signed a token, with what that says. Throws `not_found` for one that no site has given out. */
export async function findLetterSite<Token extends { siteId: string }>(
  { database }: Pick<Deps, 'database'>,
  said: Token | null,
) {
  if (!said) throw new ApiError('not_found');
  const site = await database.em.fork().findOne(Site, said.siteId, { fields: ['id', 'name', 'language'] });
  if (!site) throw new ApiError('not_found');
  const { id, name, language } = site;
  return { said, site: { id, name, language } };
}
