import { hash } from 'node:crypto';
import type { Card } from '../../../shared/theme/card.ts';
import type { Deps } from '../../api/deps.ts';
import type { Job } from '../../api/offload.ts';
import { cachedValues, unchanging } from '../../api/response-cache.ts';

/** Draws a social image as PNG. Equal images come from the cache. */
type DrawCard = (siteId: string, card: Card) => Promise<Buffer>;

declare module '../../api/deps.ts' {
  interface Deps {
    drawCard: DrawCard;
  }
}

export const cardJob: Job<Card, Uint8Array> = { name: 'card', queue: 'pictures', cpuMs: 5_000 };

const cachedCards = cachedValues<Buffer>('card');

/**
 * Creates the function that draws social images in the thread pool and caches them by content. It rejects with `busy`
 * if too many images of the site are waiting, and with `OverLimitError` if drawing takes too long.
 */
export function createCards({ threadPool, responses }: Pick<Deps, 'threadPool' | 'responses'>): DrawCard {
  return async (siteId, card) => {
    const key = unchanging(hash('sha256', JSON.stringify(card), 'base64url'));
    const cached = cachedCards.get(responses, key);
    if (cached) return cached;
    const drawn = Buffer.from(await threadPool.run(siteId, cardJob, card));
    cachedCards.keep(responses, key, { thing: drawn, bytes: drawn.length });
    return drawn;
  };
}
