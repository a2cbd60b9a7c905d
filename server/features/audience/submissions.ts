import type { z } from 'zod';
import type { RecordPurchase, SubmitTestimonial, Subscribe } from '../../../shared/contract/audience.ts';
import { Timestamp } from '../../../shared/contract/moments.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { Purchase, SubscriberEntity, TestimonialEntity } from '../../../shared/db/entities/audience.ts';
import { getContentEntity } from '../../../shared/db/entities/content.ts';
import { ApiError } from '../../kernel/api-error.ts';
import type { StoreDeps } from '../../kernel/deps.ts';
import { inTransaction } from '../../kernel/transaction.ts';
import { recordEvent } from '../events/record-event.ts';

/** Adds an address to the newsletter. One that is on it already changes nothing, fires nothing, and is not told apart. */
export async function subscribe(
  deps: StoreDeps,
  siteId: string,
  input: z.infer<typeof Subscribe>,
): Promise<void> {
  const now = deps.clock.now();
  const subscriber = {
    id: newRecordId(now, deps.randomBytes),
    email: input.email,
    name: input.name ?? '',
    source: input.source ?? '',
  };
  await inTransaction(deps, siteId, async (em) => {
    const row = { ...subscriber, site_id: siteId, created: now };
    const inserted = await em
      .createQueryBuilder(SubscriberEntity)
      .insert(row)
      .onConflict(['site_id', 'email'])
      .ignore()
      .execute('run');
    if (inserted.affectedRows === 0) return;
    const data = { ...subscriber, collection: 'subscribers' as const };
    await recordEvent(em, deps, { siteId, name: 'newsletter.subscribe', data });
  });
}

/** Keeps a testimonial for the owner to read. */
export async function submitTestimonial(
  deps: StoreDeps,
  siteId: string,
  input: z.infer<typeof SubmitTestimonial>,
): Promise<void> {
  const now = deps.clock.now();
  const writer = {
    id: newRecordId(now, deps.randomBytes),
    name: input.name,
    email: input.email,
    company: input.company ?? '',
    role: input.role ?? '',
  };
  await inTransaction(deps, siteId, async (em) => {
    const { content, rating = null } = input;
    const row = { ...writer, site_id: siteId, approved: false, created: now };
    await em.persist(em.create(TestimonialEntity, { ...row, content, rating })).flush();
    const data = { ...writer, collection: 'testimonials' as const };
    await recordEvent(em, deps, { siteId, name: 'testimonial.submitted', data });
  });
}

/** Records a completed purchase of a record of the site. Throws `validation_failed` when there is no such record. */
export async function recordPurchase(deps: StoreDeps, siteId: string, input: z.infer<typeof RecordPurchase>) {
  const created = new Timestamp(deps.clock.now());
  const purchase = { id: newRecordId(created, deps.randomBytes), ...input };
  await inTransaction(deps, siteId, async (em) => {
    const { content_type, content_id } = input;
    const bought = await em.count(getContentEntity(content_type), { site_id: siteId, id: content_id });
    if (bought === 0) throw new ApiError('validation_failed', 'content_id: no such record');
    await em.persist(em.create(Purchase, { ...purchase, site_id: siteId, created })).flush();
    await recordEvent(em, deps, {
      siteId,
      name: 'purchase.completed',
      data: { ...purchase, collection: 'purchases' },
    });
  });
  return { id: purchase.id, created };
}
