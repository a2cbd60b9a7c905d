import { LRUCache } from 'lru-cache';
import { getMailKey, type MailKeyDeps } from '../../shared/newsletter/mail-key.ts';

/** Of sites that mail at once there are few; an import may bring another key, which counts after this time. */
const held = { max: 100, ttl: 60_000 } as const;

/** Gives the mail key of a site; those of sites that have mailed lately are held. */
export function createMailKeys(deps: MailKeyDeps, limits: { max: number; ttl: number } = held) {
  const keys = new LRUCache<string, string>({
    ...limits,
    fetchMethod: (siteId) => getMailKey(deps, siteId),
    // One that is evicted while it is fetched still answers whoever waits for it.
    ignoreFetchAbort: true,
  });
  return (siteId: string): Promise<string> => keys.forceFetch(siteId);
}
