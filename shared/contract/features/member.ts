import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { created, updated } from '../envelopes.ts';
import { comparedText, Email } from '../fields.ts';
import type { FilterableFields } from '../filters.ts';
import { RecordId } from '../record-id.ts';
import { accessTiers } from '../resources/access-tier.ts';
import { DateTime, timestamp } from '../timestamps.ts';

/** Lifetime of a sign-in code in minutes, and its maximum number of attempts. */
export const signInCode = { minutes: 10, tries: 5 } as const;

const name = documented(comparedText(200), 'Name', 'Grace Lin');
const MemberStatus = documented(
  z.enum(['active', 'blocked']),
  'Status of the member; blocked members cannot sign in',
  'active',
);
const memberTiers = documented(z.array(z.enum(accessTiers)).max(10), 'Access tiers that the member holds', [
  'members',
]);

const lastSeen = 'Time of the last visit while signed in; null before the first sign-in';

/** Fields that lists of members can be filtered by. */
export const memberFilters = {
  email: { kind: 'email', input: Email },
  name: { kind: 'text', input: name },
  status: { kind: 'choice', input: MemberStatus },
  access_tiers: { kind: 'list', input: memberTiers },
  last_seen_at: { kind: 'moment', input: DateTime },
} as const satisfies FilterableFields;

export const Member = titled('Member', {
  id: RecordId,
  email: documented(z.string(), 'Email address', 'grace@example.com'),
  name,
  status: MemberStatus,
  access_tiers: memberTiers,
  open_tiers: documented(
    z.array(z.enum(accessTiers)),
    'Access tiers that are open to the member: `access_tiers` and those of open memberships; none for blocked members',
    ['members', 'paid'],
  ),
  created,
  updated,
  last_seen_at: timestamp(lastSeen).nullable(),
});

export const UpdateMember = z.strictObject({
  id: RecordId,
  status: MemberStatus.optional(),
  access_tiers: memberTiers.optional(),
  name: name.nullable().optional(),
});

const challenge = documented(
  z
    .string()
    .regex(/^[\w-]{16,100}$/, { error: 'must have 16 to 100 letters, digits, hyphens or underscores' }),
  'Random text that is sent with the request for a code and again with the code; a code that was requested with a challenge works only with it',
  'q2Zb7dJx0VtR5uLm',
);

export const RequestCode = z.strictObject({
  email: Email,
  name: name.nullable().optional(),
  challenge: challenge.optional(),
});

export const SignIn = z.strictObject({
  email: Email,
  code: documented(
    z.string().regex(/^\d{6}$/, { error: 'must be six digits' }),
    'Six-digit code from the email',
    '204917',
  ),
  challenge: challenge.optional(),
});

export const SignedIn = z.strictObject({
  token: z.string().describe('Session token, to be sent as `X-Member-Token`'),
  expires_at: timestamp('Expiry time of the session'),
  member: Member,
});
