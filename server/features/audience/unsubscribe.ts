import { SubscriberEntity } from '../../../shared/db/entities/audience.ts';
import { Suppression } from '../../../shared/db/entities/mailings.ts';
import { Site } from '../../../shared/db/entities/site.ts';
import { findMailKey } from '../../../shared/newsletter/mail-key.ts';
import { readUnsubscribeToken } from '../../../shared/newsletter/unsubscribe-token.ts';
import { ApiError } from '../../kernel/api-error.ts';
import type { Context } from '../../kernel/context.ts';
import type { Deps, StoreDeps } from '../../kernel/deps.ts';
import { inTransaction } from '../../kernel/transaction.ts';
import { type Charge, count } from '../../limits/count.ts';

/** Who was given a token. */
export interface LetterReader {
  site: { id: string; name: string; language: string };
  subscriberId: string;
  emailHash: string;
}

/** Throws `not_found` for a token that the site which it names has not given out. */
export async function findReader(
  deps: Pick<Deps, 'database' | 'secrets'>,
  token: string,
): Promise<LetterReader> {
  const said = readUnsubscribeToken(token);
  const key = said && (await findMailKey(deps, said.siteId));
  if (!said || !key || !said.isSignedWith(key)) throw new ApiError('not_found');
  const { siteId, subscriberId, emailHash } = said;
  const site = await deps.database.em.fork().findOne(Site, siteId, { fields: ['id', 'name', 'language'] });
  if (!site) throw new ApiError('not_found');
  const { id, name, language } = site;
  return { site: { id, name, language }, subscriberId, emailHash };
}

/** The same, counted: many leave from the address of one mail program, but nobody has tokens that were not given out. */
export async function countByReader(
  { deps, client, decisions }: Pick<Context, 'deps' | 'client' | 'decisions'>,
  token: string,
): Promise<LetterReader> {
  const counted = (charge: Charge) => count(deps.limiter, decisions, charge);
  const reader = await findReader(deps, token).catch(async (error: unknown) => {
    await counted({ tier: 'site', subject: client });
    throw error;
  });
  await counted({ tier: 'normal', subject: `letter ${reader.site.id}/${reader.subscriberId}` });
  return reader;
}

/**
 * Sees to it that a reader gets no more mail: copies that wait are passed over, and the address stays away whatever becomes of its
 * row, or of its list. Again changes nothing.
 */
export async function unsubscribe(
  deps: StoreDeps,
  { site: { id: site_id }, subscriberId: id, emailHash: email_hash }: LetterReader,
): Promise<void> {
  const now = deps.clock.now();
  await inTransaction(deps, site_id, async (em) => {
    await em.nativeUpdate(
      SubscriberEntity,
      { site_id, id, status: { $in: ['pending', 'active'] } },
      { status: 'unsubscribed', ended_at: now },
    );
    await em
      .createQueryBuilder(Suppression)
      .insert({ site_id, email_hash, reason: 'unsubscribed', created: now })
      .onConflict(['site_id', 'email_hash'])
      .ignore()
      .execute('run');
  });
}
