/** A token bucket in GCRA form: its whole state is one moment, when it will be full again. */
export interface Bucket {
  perMinute: number;
  burst: number;
}

export interface BucketVerdict {
  allowed: boolean;
  /** Requests that would pass right now, after this one. */
  remaining: number;
  /** When the bucket is full again, in milliseconds since the epoch. */
  fullAtMs: number;
  /** Milliseconds until a request would pass; 0 when this one did. */
  retryAfterMs: number;
}

/** Takes one token at `nowMs` from a bucket that is full at `fullAtMs`. A refused request changes nothing. */
export function takeToken(bucket: Bucket, fullAtMs: number, nowMs: number): BucketVerdict {
  const intervalMs = 60_000 / bucket.perMinute;
  const capacityMs = intervalMs * bucket.burst;
  const usedMs = Math.max(fullAtMs - nowMs, 0);
  const left = (used: number) => Math.floor((capacityMs - used) / intervalMs + 1e-9);
  if (left(usedMs) < 1) {
    return { allowed: false, remaining: 0, fullAtMs, retryAfterMs: usedMs + intervalMs - capacityMs };
  }
  const nextUsedMs = usedMs + intervalMs;
  return { allowed: true, remaining: left(nextUsedMs), fullAtMs: nowMs + nextUsedMs, retryAfterMs: 0 };
}

/** The bucket's state after a token is put back. */
export const returnToken = (bucket: Bucket, fullAtMs: number) => fullAtMs - 60_000 / bucket.perMinute;
