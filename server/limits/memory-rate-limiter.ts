import { type Tier, type TierName, tiers } from '../../shared/contract/limits.ts';
import { keysOf } from '../../shared/contract/names-of.ts';
import type { Clock } from '../kernel/deps.ts';
import type { Decision, RateLimiter } from '../kernel/rate-limiter.ts';
import { type Bucket, type BucketDecision, peekTokens, returnToken, takeToken } from './gcra.ts';

/** Sizes of tiers as an operator set them; one left out has its usual size. */
export type TierSettings = Partial<Record<TierName, Bucket | 'off'>>;

interface Counter {
  take(subject: string): Decision;
  peek(subject: string): Decision;
  refund(subject: string): void;
}

const windowMs = 60_000;

/** Counts in the memory of this process. */
export function createMemoryRateLimiter(settings: TierSettings, clock: Clock): RateLimiter {
  const counters = new Map<string, Counter>();
  for (const name of keysOf(tiers)) {
    const tier: Tier = tiers[name];
    const size = settings[name] ?? tier;
    if (size === 'off') continue;
    counters.set(
      name,
      tier.kind === 'bucket' ? bucketCounter(size, clock) : windowCounter(size.perMinute, clock),
    );
  }
  return {
    take: async (tier, subject) => counters.get(tier)?.take(subject) ?? null,
    peek: async (tier, subject) => counters.get(tier)?.peek(subject) ?? null,
    refund: async (tier, subject) => counters.get(tier)?.refund(subject),
  };
}

function bucketCounter(bucket: Bucket, clock: Clock): Counter {
  const states = expiringMap<number>((fullAt, nowMs) => fullAt <= nowMs * bucket.perMinute);
  const told = ({ allowed, remaining, fullAtMs, retryAfterMs }: BucketDecision): Decision => ({
    allowed,
    limit: bucket.burst,
    remaining,
    resetAt: seconds(fullAtMs),
    retryAfter: seconds(retryAfterMs),
  });
  return {
    take(subject) {
      const nowMs = clock.now().getTime();
      const decision = takeToken(bucket, states.get(subject) ?? 0, nowMs);
      states.set(subject, decision.fullAt, nowMs);
      return told(decision);
    },
    peek: (subject) => told(peekTokens(bucket, states.get(subject) ?? 0, clock.now().getTime())),
    refund(subject) {
      const fullAt = states.get(subject);
      if (fullAt !== undefined) states.set(subject, returnToken(fullAt), clock.now().getTime());
    },
  };
}

/** Never more than `most` in any 60 seconds, however they are spread. */
function windowCounter(most: number, clock: Clock): Counter {
  const taken = expiringMap<number[]>((times, nowMs) => (times.at(-1) ?? 0) + windowMs <= nowMs);
  const recentOf = (subject: string, nowMs: number) =>
    (taken.get(subject) ?? []).filter((time) => time + windowMs > nowMs);
  const told = (allowed: boolean, times: number[], nowMs: number): Decision => ({
    allowed,
    limit: most,
    remaining: most - times.length,
    resetAt: times.length > 0 ? seconds((times.at(-1) ?? nowMs) + windowMs) : seconds(nowMs),
    retryAfter: allowed ? 0 : seconds((times[0] ?? nowMs) + windowMs - nowMs),
  });
  return {
    take(subject) {
      const nowMs = clock.now().getTime();
      const recent = recentOf(subject, nowMs);
      const allowed = recent.length < most;
      const times = allowed ? [...recent, nowMs] : recent;
      taken.set(subject, times, nowMs);
      return told(allowed, times, nowMs);
    },
    peek(subject) {
      const nowMs = clock.now().getTime();
      const recent = recentOf(subject, nowMs);
      return told(recent.length < most, recent, nowMs);
    },
    refund(subject) {
      taken.get(subject)?.pop();
    },
  };
}

const seconds = (ms: number) => Math.ceil(ms / 1000);

/** A map that now and then drops what is `over`, so that a flood of new clients can't grow it for good. */
function expiringMap<V>(over: (value: V, nowMs: number) => boolean) {
  const values = new Map<string, V>();
  let sweepAt = 10_000;
  return {
    get: (subject: string) => values.get(subject),
    set(subject: string, value: V, nowMs: number) {
      values.set(subject, value);
      if (values.size < sweepAt) return;
      for (const [key, kept] of values) if (over(kept, nowMs)) values.delete(key);
      sweepAt = Math.max(10_000, values.size * 2);
    },
  };
}
