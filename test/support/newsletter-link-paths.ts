import { newRecordId } from '../../shared/contract/record-id.ts';
import { sitePaths } from '../../shared/contract/site-paths.ts';
import { SubscriberEntity } from '../../shared/db/entities/audience.ts';
import { getMailKey } from '../../shared/newsletter/mail-key.ts';
import { confirmToken, unsubscribeToken } from '../../shared/newsletter/mail-tokens.ts';
import type { TestApp } from './app.ts';

/** Returns the paths of a new subscriber's confirmation link and of another one's unsubscribe link. */
export async function emailPaths({ deps }: Pick<TestApp, 'deps'>, siteId: string) {
  const key = await getMailKey(deps, siteId);
  const askedAt = deps.clock.now();
  const subscribe = async (email: string, status: 'pending' | 'active') => {
    const id = newRecordId(askedAt, deps.randomBytes);
    const requested = status === 'pending' ? { confirm_sent_at: askedAt } : {};
    const row = { site_id: siteId, id, email, name: '', source: '', status, soft_bounces: 0, ...requested };
    await deps.database.em.fork().insert(SubscriberEntity, { ...row, created: askedAt });
    return { siteId, subscriberId: id, email };
  };
  const requested = await subscribe('asked@example.com', 'pending');
  const active = await subscribe('active@example.com', 'active');
  return {
    confirm: sitePaths.confirm.replace(':token', confirmToken(key, { ...requested, askedAt })),
    unsubscribe: sitePaths.unsubscribe.replace(':token', unsubscribeToken(key, active)),
  };
}
