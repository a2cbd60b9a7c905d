import { hash } from 'node:crypto';
import type { Card } from '../../../shared/theme/card.ts';
import type { Deps } from '../../api/deps.ts';
import { cachedValues, unchanging } from '../../api/response-cache.ts';
import type { Job } from '../../api/thread-pool.ts';

/** Draws a social image as PNG. Equal images come from the cache. */
type SocialImageJob = (siteId: string, card: Card) => Promise<Buffer>;

declare module '../../api/deps.ts' {
  interface Deps {
    drawCard: SocialImageJob;
  }
}

export const socialImageJob: Job<Card, Uint8Array> = { name: 'card', queue: 'pictures', cpuMs: 5_000 };

const cachedSocialImages = cachedValues<Buffer>('card');

/**
 * Creates the function that draws social images in the thread pool and caches them by content. It rejects with `busy`
 * if too many images of the site are waiting, and with `OverLimitError` if drawing takes too long.
 */
export function createSocialImages({
  threadPool,
  responses,
}: Pick<Deps, 'threadPool' | 'responses'>): SocialImageJob {
  return async (siteId, card) => {
    const key = unchanging(hash('sha256', JSON.stringify(card), 'base64url'));
    const cached = cachedSocialImages.get(responses, key);
    if (cached) return cached;
    const pathsOf = Buffer.from(await threadPool.run(siteId, socialImageJob, card));
    cachedSocialImages.keep(responses, key, { thing: pathsOf, bytes: pathsOf.length });
    return pathsOf;
  };
}
