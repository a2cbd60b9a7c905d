import type { InferEntity } from '@mikro-orm/core';
import type { z } from 'zod';
import {
  type AddSubscriber,
  subscriber,
  type UpdateSubscriber,
} from '../../../shared/contract/audience/subscriber.ts';
import type { SuppressionReason } from '../../../shared/contract/features/mail-reports.ts';
import { namesOf, omitUndefined } from '../../../shared/contract/names-of.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { SubscriberEntity } from '../../../shared/db/entities/audience.ts';
import { getMailKey, suppressionHash } from '../../../shared/newsletter/mail-key.ts';
import { findSuppressed, suppress } from '../../../shared/newsletter/suppressions.ts';
import { ApiError, found } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { inTransaction, lockRow } from '../../api/transaction.ts';
import {
  activate,
  lockSubscriber,
  mayRequestConfirmation,
  mustConfirm,
  requestConfirmation,
} from './confirmation.ts';

type Row = InferEntity<typeof SubscriberEntity>;

/** Gets a subscriber. Throws `not_found` if the site has none with this ID. */
export async function getSubscriber({ database }: Pick<Deps, 'database'>, siteId: string, id: string) {
  const subscribers = database.em.getKysely().selectFrom('subscribers').select(namesOf(subscriber.read));
  return found(await subscribers.where('site_id', '=', siteId).where('id', '=', id).executeTakeFirst());
}

/**
 * Adds a subscriber for the owner. A person with `confirmed_at` becomes `active`; others receive a confirmation
 * request. Active subscribers stay unchanged, and people who unsubscribed must confirm again. Throws `suppressed` for
 * addresses that get no mail, and `rate_limited` if no confirmation may be sent now.
 */
export const addSubscriber = (
  deps: Deps,
  siteId: string,
  { email, name, source, confirmed_at }: z.infer<typeof AddSubscriber>,
) =>
  inTransaction(deps, siteId, async (em) => {
    const now = deps.clock.now();
    const reason = (await findSuppressed(deps, siteId, [email])).get(email);
    const given = { site_id: siteId, email, name: name ?? '', source: source ?? '', created: now };
    const { row, isNew } = await lockSubscriber(em, deps, given);
    const left = [leftBy(row), reason].filter((why) => why !== null && why !== undefined);
    const { delivers, outbox } = deps.mailer;
    const mayComeBack = delivers && left.every((why) => why === 'unsubscribed');
    if (left.length > 0 && !mayComeBack) throw new ApiError('suppressed');
    if (row.status !== 'active') {
      const isConfirmationRequired = outbox ? await mustConfirm(deps, siteId) : delivers;
      if (left.length === 0 && (confirmed_at || !isConfirmationRequired))
        await activate(em, deps, { row, confirmed_at: earlier(confirmed_at ?? null, now) });
      else await askAnew(em, deps, { row, isWaiting: !isNew && row.status === 'pending' });
    }
    const { id, status, created } = row;
    return { id, status, created };
  });

const earlier = (timestamp: Date | null, now: Date) => (timestamp && timestamp > now ? now : timestamp);

/** Returns the reason why a subscriber gets no more mail; null for an active or pending one. */
const leftBy = ({ status }: Pick<Row, 'status'>): SuppressionReason | null =>
  status === 'active' || status === 'pending' ? null : status;

/** Sends another confirmation request. A pending subscriber who was asked recently is left unchanged. */
async function askAnew(em: Transaction, deps: Deps, { row, isWaiting }: { row: Row; isWaiting: boolean }) {
  const refused = await mayRequestConfirmation(deps, row.site_id, row.email);
  if (refused && isWaiting) return;
  if (refused)
    throw new ApiError('rate_limited', 'too many confirmation emails; try again later', {
      retryAfter: refused.retryAfter,
    });
  em.assign(row, { status: 'pending', confirm_sent_at: deps.clock.now() });
  await em.flush();
  await requestConfirmation(em, row);
}

/** Updates the given fields of a subscriber. `status` has no effect if the subscription has ended. Throws `not_found`. */
export const updateSubscriber = (
  deps: Deps,
  siteId: string,
  { id, status, ...input }: z.infer<typeof UpdateSubscriber>,
) =>
  inTransaction(deps, siteId, async (em) => {
    const row = await lockRow(em, SubscriberEntity, { site_id: siteId, id });
    const { name, source } = omitUndefined(input);
    em.assign(row, {
      name: name === null ? '' : (name ?? row.name),
      source: source === null ? '' : (source ?? row.source),
    });
    if (status && !leftBy(row)) {
      em.assign(row, { status, ended_at: deps.clock.now() });
      await keepSuppressed(em, deps, row);
    }
  });

/** Deletes a subscriber. An address that unsubscribed, bounced or complained stays suppressed. Throws `not_found`. */
export const deleteSubscriber = (deps: Deps, siteId: string, id: string) =>
  inTransaction(deps, siteId, async (em) => {
    const row = await lockRow(em, SubscriberEntity, { site_id: siteId, id });
    await keepSuppressed(em, deps, row);
    em.remove(row);
  });

async function keepSuppressed(em: Transaction, deps: Deps, row: Row) {
  const reason = leftBy(row);
  if (!reason) return;
  const email_hash = suppressionHash(await getMailKey(deps, row.site_id), row.email);
  const created = row.ended_at ?? deps.clock.now();
  await suppress(em.getKysely(), row.site_id, [{ email_hash, reason, created }]);
}
