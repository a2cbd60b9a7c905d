/** The size of a token bucket. */
export interface Bucket {
  perMinute: number;
  burst: number;
}

export interface BucketDecision {
  allowed: boolean;
  /** Requests that would pass right now, after this one. */
  remaining: number;
  /** The bucket's new state. */
  fullAt: number;
  /** When the bucket is full again, in milliseconds since the epoch. */
  fullAtMs: number;
  /** Milliseconds until a request would pass; 0 when this one did. */
  retryAfterMs: number;
}

/** A token, in parts of which a millisecond brings `perMinute`: whole numbers for every size, so nothing is rounded. */
export const tokenParts = 60_000;

/**
 * A token bucket in GCRA form: its whole state is one moment, when it will be full again, counted in parts since the
 * epoch; 0 for one that is full. Takes one token at `nowMs`. A refused request changes nothing.
 */
export function takeToken({ perMinute, burst }: Bucket, fullAt: number, nowMs: number): BucketDecision {
  const now = nowMs * perMinute;
  const usedParts = Math.max(fullAt - now, 0);
  const freeParts = burst * tokenParts - usedParts;
  const allowed = freeParts >= tokenParts;
  const after = allowed ? now + usedParts + tokenParts : fullAt;
  return {
    allowed,
    remaining: allowed ? Math.floor(freeParts / tokenParts) - 1 : 0,
    fullAt: after,
    fullAtMs: after / perMinute,
    retryAfterMs: allowed ? 0 : (tokenParts - freeParts) / perMinute,
  };
}

/** What the bucket holds, with none taken. */
export function peekTokens({ perMinute, burst }: Bucket, fullAt: number, nowMs: number): BucketDecision {
  const now = nowMs * perMinute;
  const freeParts = burst * tokenParts - Math.max(fullAt - now, 0);
  const allowed = freeParts >= tokenParts;
  return {
    allowed,
    remaining: Math.floor(Math.max(freeParts, 0) / tokenParts),
    fullAt,
    fullAtMs: Math.max(fullAt / perMinute, nowMs),
    retryAfterMs: allowed ? 0 : (tokenParts - freeParts) / perMinute,
  };
}

/** The bucket's state after a token is put back. */
export const returnToken = (fullAt: number) => fullAt - tokenParts;
