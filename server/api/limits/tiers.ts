import { z } from 'zod';
import {
  type LimitName,
  mailLimits,
  signInLimits,
  type Tier,
  type TierName,
  tiers,
} from '../../../shared/contract/limits.ts';
import { keysOf } from '../../../shared/contract/names-of.ts';
import type { Bucket, Window } from './rules.ts';

const tierNames = keysOf(tiers);

/**
 * Tier sizes set by an operator; a missing tier has its default size. Operators cannot switch off the limits on email:
 * only tests do.
 */
export type TierSettings = Partial<Record<TierName, Bucket | 'off'> & Record<keyof typeof mailLimits, 'off'>>;

type SizedTier = { name: LimitName } & ({ kind: 'bucket'; size: Bucket } | { kind: 'window'; size: Window });

/**
 * Lists the active rate limits: of the tiers, of sign-in and of emails. The size of a bucket is requests per minute and
 * burst; that of a window is a maximum per number of minutes. `signInLimits` are off if the strict tier is.
 */
export const sizedTiers = (settings: TierSettings): SizedTier[] => [
  ...tierNames.flatMap((name): SizedTier[] => {
    const { kind, perMinute, burst }: Tier = tiers[name];
    const size = settings[name] ?? { perMinute, burst };
    if (size === 'off') return [];
    return kind === 'bucket'
      ? [{ name, kind, size }]
      : [{ name, kind, size: { max: size.perMinute, minutes: 1 } }];
  }),
  ...(settings.strict === 'off' ? [] : keysOf(signInLimits)).map(
    (name) => ({ name, kind: 'window', size: signInLimits[name] }) as const,
  ),
  ...keysOf(mailLimits).flatMap((name) =>
    settings[name] === 'off' ? [] : [{ name, kind: 'window', size: mailLimits[name] } as const],
  ),
];

type TierVariable = `RATE_LIMIT_${Uppercase<TierName>}`;

const variableOf = (tier: TierName) => `RATE_LIMIT_${tier.toUpperCase()}`;

/** `60/10`: requests per minute and burst; or `off`. */
const TierSize = z.string().transform((text, context): Bucket | 'off' => {
  if (text === 'off') return text;
  const [, perMinute, burst] = /^([1-9]\d{0,6})\/([1-9]\d{0,6})$/.exec(text) ?? [];
  if (perMinute && burst) return { perMinute: Number(perMinute), burst: Number(burst) };
  context.addIssue({
    code: 'custom',
    message: 'expected RATE/BURST, such as 60/10, or off',
  });
  return z.NEVER;
});

const tierVariable = (name: TierName, { perMinute, burst, per, kind }: Tier) =>
  TierSize.prefault(`${perMinute}/${burst}`).describe(
    kind === 'bucket'
      ? `rate limit of the ${name} tier per ${per}, as requests per minute/burst; or off`
      : `rate limit of the ${name} tier per ${per}, as requests per minute/burst (the burst is ignored); or off`,
  );

/** Environment variables of the tiers, for `z.object`. */
// `Object.fromEntries` loses the names of the variables.
export const tierVariables = Object.fromEntries(
  tierNames.map((name) => [variableOf(name), tierVariable(name, tiers[name])]),
) as Record<TierVariable, ReturnType<typeof tierVariable>>;

/** Returns the sizes of rate limits by tier, in the form that rate limiters take, given the settings of `tierVariables`. */
export function tierSizes(settings: Record<TierVariable, Bucket | 'off'>) {
  const sizes: Readonly<Record<string, Bucket | 'off'>> = settings;
  const entries = tierNames.flatMap((name) => {
    const size = sizes[variableOf(name)];
    return size === undefined ? [] : [[name, size] as const];
  });
  return Object.fromEntries(entries);
}
