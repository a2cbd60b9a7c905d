import { z } from 'zod';
import { created, updated } from '../envelopes.ts';
import { boundedText, Email } from '../fields.ts';
import type { FilterableFields } from '../filters.ts';
import { DateTime, moment } from '../moments.ts';
import { RecordId } from '../record-id.ts';
import { accessTiers } from '../resources/access-tier.ts';
import { titled } from '../titled.ts';

/** Codes that members sign in with. */
export const signInCode = { minutes: 10, tries: 5 } as const;

const name = boundedText(200).meta({ description: 'Name', examples: ['Grace Lin'] });
const MemberStatus = z
  .enum(['active', 'blocked'])
  .meta({ description: 'Whether the member may sign in', examples: ['active'] });
const memberTiers = z
  .array(z.enum(accessTiers))
  .max(10)
  .meta({ description: 'Access tiers that the member holds', examples: [['members']] });

const lastSeen = 'When the member was last seen; null before the first sign-in';

/** What lists of members can be filtered by. */
export const memberFilters = {
  email: { kind: 'text', input: Email },
  name: { kind: 'text', input: name },
  status: { kind: 'choice', input: MemberStatus },
  access_tiers: { kind: 'list', input: memberTiers },
  last_seen_at: { kind: 'moment', input: DateTime },
} as const satisfies FilterableFields;

export const Member = titled('Member', {
  id: RecordId,
  email: z.string().meta({ description: 'E-mail address', examples: ['grace@example.com'] }),
  name,
  status: MemberStatus,
  access_tiers: memberTiers,
  created,
  updated,
  last_seen_at: moment(lastSeen).nullable(),
});

export const UpdateMember = z.strictObject({
  id: RecordId,
  status: MemberStatus.optional(),
  access_tiers: memberTiers.optional(),
  name: name.nullable().optional(),
});

const challenge = z
  .string()
  .regex(/^[\w-]{16,100}$/, { error: 'must be 16-100 letters, digits, hyphens or underscores' })
  .meta({
    description: 'At random, the same for asking and for signing in: the code is then of no use without it',
    examples: ['q2Zb7dJx0VtR5uLm'],
  });

export const RequestCode = z.strictObject({
  email: Email,
  name: name.nullable().optional(),
  challenge: challenge.optional(),
});

export const SignIn = z.strictObject({
  email: Email,
  code: z
    .string()
    .regex(/^\d{6}$/)
    .meta({ description: 'The six digits from the e-mail', examples: ['204917'] }),
  challenge: challenge.optional(),
});

export const SignedIn = z.strictObject({
  token: z.string().describe('Sent as `X-Member-Token`'),
  expires_at: moment('When the session ends'),
  member: Member,
});
