import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { TierName } from '../../../shared/contract/limits.ts';
import type { KnownKey, VisitedSite } from '../../kernel/callers.ts';
import type { Decision } from '../../kernel/rate-limiter.ts';
import type { Kept } from './send-kept.ts';

declare module 'node:http' {
  interface IncomingMessage {
    found?: Found;
  }
}

/** What was found out of a request before it came to its route. */
export interface Found {
  decision: Decision | null;
  key: Promise<KnownKey | null> | undefined;
  site: Promise<VisitedSite | null> | undefined;
}

/** An address that was answered from memory, with what its route read of it. */
export interface KnownAddress {
  route: string;
  tier: TierName;
  /** What it depends on besides the request. */
  question: string;
  /** Whether a request holds nothing that only the route looks at. */
  isPlain(request: IncomingMessage): boolean;
  /**
   * What a request gets that has been counted; undefined where it is not in memory, or for the route to refuse. What it
   * asks the database is put into `found`, so that the route does not ask again.
   */
  answerTo(request: IncomingMessage, found: Found): Promise<KnownAnswer | undefined>;
  /** Called once the answer with that id is on its way. */
  afterAnswer?: ((request: IncomingMessage, id: string) => void) | undefined;
}

export interface KnownAnswer {
  kept: Kept;
  /** What is said of it besides, names and values in turns. */
  head: readonly string[];
}

/** What the addresses take that are known, roughly, and one besides its texts. */
const mostBytes = 4 * 1024 * 1024;
const overheadBytes = 700;

/** The addresses that were answered from memory: those that were asked for last. */
export function createKnownAddresses() {
  const known = new LRUCache<string, KnownAddress>({
    maxSize: mostBytes,
    sizeCalculation: ({ question }, url) => 2 * (url.length + question.length) + overheadBytes,
  });
  return {
    /** What is known of the address of a request. */
    find: ({ url = '' }: IncomingMessage): KnownAddress | undefined => known.get(url),
    learn: (url: string, address: KnownAddress) => void known.set(url, address),
  };
}

export type KnownAddresses = ReturnType<typeof createKnownAddresses>;
