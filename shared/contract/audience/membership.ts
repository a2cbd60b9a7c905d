import { z } from 'zod';
import { documented } from '../documented.ts';
import { updated } from '../envelopes.ts';
import { dateTime, Email, flag, money, optional } from '../fields.ts';
import { RecordId } from '../record-id.ts';
import { DateTime, timestamp, toDate } from '../timestamps.ts';
import { defineAudienceTable, emailField } from './audience-table.ts';
import { ExternalId, externalId, livemode, offerId, Provider, provider, salesQuery } from './sale.ts';

/** Tiers that a membership can open. */
const MembershipTiers = documented(
  z
    .array(z.enum(['paid', 'members']))
    .min(1)
    .refine((tiers) => new Set(tiers).size === tiers.length, { error: 'must name each tier once' }),
  'Access tiers that the membership opens: a non-empty subset of `paid` and `members`',
  ['paid', 'members'],
);

type Tiers = z.infer<typeof MembershipTiers>;

const MembershipState = documented(
  z.enum(['trialing', 'active', 'past_due', 'ended']),
  'State of the recurring payment; `open_until` and `blocked` decide whether the membership opens its tiers',
  'active',
);

type State = z.infer<typeof MembershipState>;

const Interval = z.enum(['month', 'year']);

const currency = { description: 'Currency of the amount (ISO 4217); null if unknown', examples: ['EUR'] };
const interval = { description: 'Time between two payments; null if unknown', examples: ['month' as const] };
const open_until = 'Time until which the membership opens its tiers';

const declared = defineAudienceTable({
  collection: 'memberships',
  fields: {
    email: emailField('Email address of the member'),
    tiers: {
      ...optional<'list', Tiers, Tiers>('list', MembershipTiers, MembershipTiers, 'text[]', []),
      required: true as const,
    },
    offer_id: offerId,
    state: {
      ...optional<'choice', State, State>('choice', MembershipState, MembershipState, 'text', 'active'),
      required: true as const,
    },
    blocked: flag('True if the membership opens nothing because its last payment was refunded or disputed'),
    provider,
    external_id: externalId,
    amount: money('Amount of each payment, in units of `currency`; null if unknown', 5),
    currency: optional(
      'choice',
      z.string().regex(/^[A-Z]{3}$/),
      z.string().nullable().meta(currency),
      'text',
      null,
    ),
    interval: optional('choice', Interval, Interval.nullable().meta(interval), 'text', null),
    open_until: dateTime(open_until),
    cancel_at: dateTime('Time at which a canceled membership ends; null if it renews'),
    as_of: dateTime('Time of the newest report'),
    livemode,
  },
  searched: 'search',
  filters: {
    state: { input: MembershipState, is: 'equal', column: 'state' },
    email: { input: Email, is: 'key', column: 'email' },
  },
});

/** Membership: a recurring payment that opens access tiers for a member. */
export const membership = {
  ...declared,
  read: declared.read
    .extend({ open_until: timestamp(open_until), as_of: timestamp('Time of the newest report'), updated })
    .meta({ title: 'Membership' }),
};

export const ListMemberships = salesQuery({ state: MembershipState.optional(), email: Email.optional() });

/** Days that a membership through Stripe stays open after a paid period, and after the beginning of an unpaid one. */
export const graceDays = { paid: 3, unpaid: 30 } as const;

/**
 * Returns the time of the next payment of an open membership. That is `open_until`, for Stripe without the days of grace
 * after it.
 */
export const renewalOf = ({ provider, open_until }: { provider: string; open_until: Date }) =>
  provider === 'stripe' ? new Date(open_until.getTime() - graceDays.paid * 86_400_000) : open_until;

/** Limits of the times in a report: minutes that `as_of`, and days that `open_until` can be in the future. */
export const reportLimits = { minutesAhead: 5, daysOpen: 400 } as const;

/** Input for reporting a membership: its state at another provider. */
export const ReportMembership = z.strictObject({
  provider: Provider,
  external_id: ExternalId,
  email: Email.describe('Email address of the member; used only in the first report of a membership'),
  tiers: MembershipTiers,
  state: MembershipState,
  open_until: DateTime.transform(toDate).describe(
    `${open_until}: at most ${reportLimits.daysOpen} days ahead. A membership that is \`ended\` closes immediately`,
  ),
  as_of: DateTime.transform(toDate).describe('Time that the report describes; older reports change nothing'),
});

export const CorrectMembership = z.strictObject({ id: RecordId, email: Email });
