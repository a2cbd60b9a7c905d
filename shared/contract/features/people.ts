import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { boundedText, Email } from '../fields.ts';
import { RecordId } from '../record-id.ts';
import { Role } from '../roles.ts';
import { timestamp } from '../timestamps.ts';
import { newPassword, PersonName } from './account.ts';

/** Lifetime of an invitation, in days. */
export const invitationDays = 7;

/** Person who works on a site, or was invited to. */
export const StaffMember = titled('StaffMember', {
  id: RecordId.describe('ID of the person, or of the invitation until it is accepted'),
  state: z.enum(['active', 'invited']).describe('Status: `invited` until the invitation is accepted'),
  email: documented(z.string(), 'Email address', 'grace@example.com'),
  name: documented(z.string(), 'Name; empty until the invitation is accepted', 'Grace Bell'),
  role: Role,
  created: timestamp('Time at which the person joined, or was invited'),
  expires_at: timestamp('Expiry time of the invitation; null once it is accepted').nullable(),
});

export const UpdateStaffMember = z.strictObject({ id: RecordId, role: Role });

export const InviteStaffMember = z.strictObject({ email: Email, role: Role });

export const AcceptInvitation = z
  .strictObject({
    token: documented(
      boundedText(100),
      'Token from the emailed link: the part after `#`',
      'svc_invite_3Tq8bXn0LrVd5Zk7HsWc2YfGm9JpAe4Ru6Ei1Ot0UiQ',
    ),
    name: documented(
      PersonName.optional(),
      'Name of the new account; omit it if signed in with an existing account',
      'Grace Bell',
    ),
    password: documented(
      newPassword.optional(),
      'Password of the new account; omit it if signed in with an existing account',
      'staple battery horse',
    ),
  })
  .refine(({ name, password }) => (name === undefined) === (password === undefined), {
    error: 'must contain both `name` and `password`, or neither',
  })
  .meta({ title: 'AcceptInvitation' });
