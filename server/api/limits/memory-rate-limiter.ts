import type { Clock } from '../../../shared/contract/timestamps.ts';
import type { Decision, RateLimiter } from '../rate-limiter.ts';
import { bucketRule, decisionOf, type Rule, type Verdict, windowRule } from './rules.ts';
import { sizedTiers, type TierSettings } from './tiers.ts';

interface Counter {
  take(subject: string): Decision;
  peek(subject: string): Decision;
  refund(subject: string): void;
}

/**
 * Memory rate limiter: counts in this process only, with the rules of `rules.ts`. A subject has no state until its
 * first request. Each counted request replaces the state; a refund moves it back. A state with the effect of an empty one
 * is dropped at the next sweep, which runs when the map has doubled, at 10,000 subjects or more.
 */
export function createMemoryRateLimiter(settings: TierSettings, clock: Clock): RateLimiter {
  const counters = new Map<string, Counter>();
  for (const { name, kind, size } of sizedTiers(settings)) {
    const counts = kind === 'bucket' ? counter(bucketRule(size), clock) : counter(windowRule(size), clock);
    counters.set(name, counts);
  }
  return {
    take: (tier, subject) => counters.get(tier)?.take(subject) ?? null,
    peek: async (tier, subject) => counters.get(tier)?.peek(subject) ?? null,
    refund: async (tier, subject) => counters.get(tier)?.refund(subject),
  };
}

function counter<State>(rule: Rule<State>, clock: Clock): Counter {
  const states = expiringMap<State>(rule.isOver);
  const stateOf = (subject: string) => states.get(subject) ?? rule.empty;
  const decided = (verdict: Verdict) => decisionOf(verdict, clock.now().getTime());
  return {
    take(subject) {
      const nowMs = clock.sinceStart();
      const { verdict, state } = rule.take(stateOf(subject), nowMs);
      states.set(subject, state, nowMs);
      return decided(verdict);
    },
    peek: (subject) => decided(rule.peek(stateOf(subject), clock.sinceStart())),
    refund(subject) {
      const state = states.get(subject);
      if (state !== undefined) states.set(subject, rule.refund(state), clock.sinceStart());
    },
  };
}

/**
 * Creates a map that regularly drops entries for which `over` returns true, so that a flood of new clients cannot grow
 * it forever.
 */
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
