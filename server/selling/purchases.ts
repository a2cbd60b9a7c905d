import type { InferEntity } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { z } from 'zod';
import {
  type CorrectPurchase,
  type purchase,
  purchaseStateOf,
  type RecordPurchase,
  type StateColumns,
  type UpdatePurchase,
} from '../../shared/contract/audience/purchase.ts';
import { ownProviders } from '../../shared/contract/audience/sale.ts';
import { amountProblem } from '../../shared/contract/currencies.ts';
import { changesOf, hasValues } from '../../shared/db/changes-of.ts';
import type { Transaction } from '../../shared/db/config.ts';
import { isDuplicate } from '../../shared/db/database-errors.ts';
import { Purchase } from '../../shared/db/entities/audience.ts';
import { getContentEntity } from '../../shared/db/entities/content.ts';
import { ensureEnrolled } from '../../shared/learning/enroll.ts';
import { insertPurchase, type NewPurchase } from '../../shared/selling/insert-purchase.ts';
import { queueSaleMails } from '../../shared/selling/sale-mails.ts';
import { ApiError, found } from '../api/api-error.ts';
import type { StoreDeps } from '../api/deps.ts';
import { inTransaction, lockRow } from '../api/transaction.ts';

type State = ReturnType<typeof purchaseStateOf>;

/** Records a purchase that an owner enters. Throws `validation_failed` if there is no such record. */
export const recordManually = (deps: StoreDeps, siteId: string, input: z.infer<typeof purchase.create>) =>
  inTransaction(deps, siteId, async (em) => {
    const sale = { ...input, provider: 'manual', external_id: null };
    const { id, created } = await storePurchase(em, deps, siteId, sale);
    return { id, created };
  });

/**
 * Records a sale that a provider reports. A sale that is stored already is returned unchanged, with `isNew` false. Throws
 * `payment_conflict` if it was reported with another amount, currency or record, and `validation_failed` if there is no such record.
 */
export const recordReported = (
  deps: StoreDeps,
  siteId: string,
  { notify, ...sale }: z.infer<typeof RecordPurchase>,
) =>
  inTransaction(deps, siteId, async (em) => {
    const stored = await storePurchase(em, deps, siteId, sale);
    const { id, isNew } = stored;
    if (notify && isNew) await queueSaleMails(em, { site_id: siteId, collection: 'purchases', id });
    return stored;
  });

/** Inserts a purchase, or returns the stored one with `isNew` false. Throws `validation_failed` if there is no such record. */
async function storePurchase(em: Transaction, deps: StoreDeps, siteId: string, sale: NewPurchase) {
  const inserted = await insertPurchase(em, deps, siteId, sale);
  if (!inserted) return { ...(await findReported(em, siteId, sale)), isNew: false };
  const { content_type, content_id } = sale;
  if ((await em.count(getContentEntity(content_type), { site_id: siteId, id: content_id })) === 0)
    throw new ApiError('validation_failed', 'content_id: no such record');
  return { ...inserted, isNew: true };
}

/**
 * Finds the purchase that a reported sale was stored as. The email address is not compared, because an owner may have
 * corrected it.
 */
async function findReported(em: Transaction, site_id: string, sale: NewPurchase) {
  const { provider, external_id, amount, currency, content_type, content_id } = sale;
  const row = found(await em.findOne(Purchase, { site_id, provider, external_id }));
  if (!hasValues(row, { amount, currency, content_type, content_id }))
    throw new ApiError(
      'payment_conflict',
      'this `external_id` was recorded with another amount, currency or record',
    );
  return { id: row.id, created: row.created };
}

/** Columns that bring a purchase into a state. */
const columnsOf: Record<State, (row: StateColumns, now: Date) => Partial<StateColumns>> = {
  paid: () => ({ refunded_amount: 0, dispute: 'none', revoked_at: null }),
  refunded: ({ amount }) => ({ refunded_amount: amount, dispute: 'none', revoked_at: null }),
  disputed: () => ({ dispute: 'open', revoked_at: null }),
  revoked: ({ revoked_at }, now) => ({ revoked_at: revoked_at ?? now }),
};

/** True if the provider's own reports decide about refunds and disputes. */
const isFollowed = (provider: string) => provider !== 'manual' && ownProviders.has(provider);

/** Changes the state of a purchase. Throws `not_found`, `validation_failed`, and `payment_conflict` for purchases through Stripe. */
export async function updatePurchase(
  deps: StoreDeps,
  siteId: string,
  { id, state, refunded_amount }: z.infer<typeof UpdatePurchase>,
) {
  await inTransaction(deps, siteId, async (em) => {
    const row = await lockRow(em, Purchase, { site_id: siteId, id });
    if (isFollowed(row.provider))
      throw new ApiError('payment_conflict', `purchases through ${row.provider} follow the payment provider`);
    const problem = refunded_amount === undefined ? null : refundProblem(refunded_amount, row);
    if (problem) throw new ApiError('validation_failed', `refunded_amount: ${problem}`);
    const changes = {
      ...(state && columnsOf[state](row, deps.clock.now())),
      ...(refunded_amount !== undefined && { refunded_amount }),
    };
    if (state && purchaseStateOf({ ...row, ...changes }) !== state)
      throw new ApiError(
        'validation_failed',
        refunded_amount === undefined
          ? 'state: a purchase with the amount 0 cannot be refunded'
          : `refunded_amount: does not go with the state ${state}`,
      );
    em.assign(row, changesOf(row, changes, deps.clock.now()));
  });
}

function refundProblem(refunded: number, { amount, currency }: { amount: number; currency: string }) {
  return refunded > amount ? `must be at most ${amount}` : amountProblem(refunded, currency);
}

/**
 * Corrects the address of a purchase, takes access back or gives it again. Omitted fields do not change. Throws
 * `not_found`, and `payment_conflict` if the payment provider reported a refund or dispute that still closes the
 * purchase.
 */
export async function correctPurchase(
  deps: StoreDeps,
  siteId: string,
  { id, buyer_email, state }: z.infer<typeof CorrectPurchase>,
) {
  await inTransaction(deps, siteId, async (em) => {
    const row = await lockRow(em, Purchase, { site_id: siteId, id });
    const opened = isFollowed(row.provider) ? { revoked_at: null } : columnsOf.paid(row, deps.clock.now());
    const changes = state === 'paid' ? opened : state && columnsOf[state](row, deps.clock.now());
    if (state && purchaseStateOf({ ...row, ...changes }) !== state) throw new ApiError('payment_conflict');
    const from = row.buyer_email;
    const values = { ...changes, ...(buyer_email !== undefined && { buyer_email }) };
    em.assign(row, changesOf(row, values, deps.clock.now()));
    await em.flush();
    if (row.content_type !== 'courses' || row.buyer_email === from) return;
    await moveEnrollment(em, deps, siteId, { course: row.content_id, from, row });
  });
}

type PurchaseRow = InferEntity<typeof Purchase>;

/**
 * Moves an enrollment along with the corrected address of its purchase. It stays if the owner made it, if another purchase of the course
 * by the old address exists, or if the new address is enrolled.
 */
async function moveEnrollment(
  em: Transaction,
  deps: StoreDeps,
  siteId: string,
  { course, from, row }: { course: string; from: string; row: PurchaseRow },
) {
  const to = row.buyer_email;
  const move = sql`
    update enrollments e set buyer_email = ${to}
    where e.site_id = ${siteId} and e.course_id = ${course} and e.buyer_email = ${from} and e.source <> 'owner'
      and not exists (select from enrollments o where o.site_id = ${siteId} and o.course_id = ${course} and o.buyer_email = ${to})
      and not exists (select from purchases p where p.site_id = ${siteId} and p.buyer_email = ${from}
        and p.content_type = 'courses' and p.content_id = ${course})`;
  await em
    .transactional((savepoint) => move.execute(savepoint.getKysely()))
    .catch((error) => {
      // A concurrent correction, or a sale, enrolled the new address.
      if (!isDuplicate(error)) throw error;
    });
  if (purchaseStateOf(row) === 'paid')
    await ensureEnrolled(em, deps, siteId, { course_id: course, buyer_email: to, source: 'purchase' });
}
