import type { InferEntity } from '@mikro-orm/core';
import type { z } from 'zod';
import { type ContentDeps, recordEvent } from '../content/write.ts';
import type { purchase } from '../contract/audience/purchase.ts';
import { newRecordId } from '../contract/record-id.ts';
import { Timestamp } from '../contract/timestamps.ts';
import type { Transaction } from '../db/config.ts';
import type { Purchase } from '../db/entities/audience.ts';
import { ensureEnrolled } from '../learning/enroll.ts';

export type NewPurchase = z.infer<typeof purchase.create> & {
  provider: string;
  external_id: string | null;
} & Partial<Pick<InferEntity<typeof Purchase>, 'offer_id' | 'livemode' | 'account_key' | 'charge_ref'>>;

/**
 * Inserts a purchase within a transaction. If it `fires`, it records the event and enrolls the buyer in a bought course. Returns null,
 * and changes nothing, if the sale is stored already: concurrent calls with one `external_id` wait for the first.
 */
export async function insertPurchase(
  em: Transaction,
  deps: ContentDeps,
  siteId: string,
  sale: NewPurchase,
  fires = true,
) {
  const created = new Timestamp(deps.clock.now());
  const id = newRecordId(created, deps.randomBytes);
  const inserted = await em
    .getKysely()
    .insertInto('purchases')
    .values({ ...sale, site_id: siteId, id, created, updated: created })
    .onConflict((conflict) =>
      conflict
        .columns(['site_id', 'provider', 'external_id'])
        .where('external_id', 'is not', null)
        .doNothing(),
    )
    .returning('id')
    .executeTakeFirst();
  if (!inserted) return null;
  if (!fires) return { id, created };
  const { buyer_email, content_type, content_id, amount, currency } = sale;
  const bought = { buyer_email, content_type, content_id, amount, currency };
  const data = { id, ...bought, collection: 'purchases' as const };
  await recordEvent(em, deps, { siteId, name: 'purchase.completed', data });
  if (content_type === 'courses')
    await ensureEnrolled(em, deps, siteId, { course_id: content_id, buyer_email, source: 'purchase' });
  return { id, created };
}
