import { SubscriberEntity } from '../../../shared/db/entities/audience.ts';
import { openUnsubscribeToken } from '../../../shared/newsletter/mail-tokens.ts';
import { suppress } from '../../../shared/newsletter/suppressions.ts';
import type { Context } from '../../api/context.ts';
import type { Deps, StoreDeps } from '../../api/deps.ts';
import { type Charge, count } from '../../api/limits/count.ts';
import { inTransaction } from '../../api/transaction.ts';
import { findTokenSite } from './confirmation.ts';

/** Finds the reader to whom a token was given. Throws `not_found` for an invalid token or an unknown site. */
export const findReader = async (deps: Pick<Deps, 'database' | 'secrets'>, token: string) =>
  findTokenSite(deps, await openUnsubscribeToken(deps, token));

type TokenReader = Awaited<ReturnType<typeof findReader>>;

/**
 * Finds the reader to whom a token was given, and counts the request. Valid tokens are counted per reader, since many
 * readers share the address of a mail program. Invalid ones are counted per client. Throws `not_found` for an invalid
 * token, and `rate_limited`.
 */
export async function countByReader(
  { deps, client, decisions }: Pick<Context, 'deps' | 'client' | 'decisions'>,
  token: string,
): Promise<TokenReader> {
  const counted = (charge: Charge) => count(deps.limiter, decisions, charge);
  const reader = await findReader(deps, token).catch(async (error: unknown) => {
    await counted({ tier: 'site', subject: client });
    throw error;
  });
  await counted({ tier: 'normal', subject: `letter ${reader.site.id}/${reader.said.subscriberId}` });
  return reader;
}

/**
 * Unsubscribes a reader. Waiting emails are skipped, and the address stays suppressed even if its row is deleted. A
 * second call has no effect.
 */
export async function unsubscribe(
  deps: StoreDeps,
  { said: { siteId: site_id, subscriberId: id, emailHash: email_hash } }: TokenReader,
): Promise<void> {
  const now = deps.clock.now();
  await inTransaction(deps, site_id, async (em) => {
    await em.nativeUpdate(
      SubscriberEntity,
      { site_id, id, status: { $in: ['pending', 'active'] } },
      { status: 'unsubscribed', ended_at: now },
    );
    await suppress(em.getKysely(), site_id, [{ email_hash, reason: 'unsubscribed', created: now }]);
  });
}
