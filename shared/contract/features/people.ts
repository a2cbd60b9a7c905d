import { z } from 'zod';
import { boundedText, Email } from '../fields.ts';
import { moment } from '../moments.ts';
import { RecordId } from '../record-id.ts';
import { Role } from '../roles.ts';
import { titled } from '../titled.ts';
import { newPassword } from './account.ts';

/** How long an invitation can be accepted. */
export const invitationDays = 7;

/** Somebody who works on a site, or was asked to. */
export const StaffMember = titled('StaffMember', {
  id: RecordId.describe('Id of the person, or of the invitation while they have not accepted'),
  state: z.enum(['active', 'invited']).describe('Whether they have accepted'),
  email: z.string().meta({ description: 'E-mail address', examples: ['grace@example.com'] }),
  name: z.string().meta({
    description: 'Name; empty while nobody has accepted',
    examples: ['Grace Bell'],
  }),
  role: Role,
  created: moment('When they came, or were asked'),
  expires_at: moment('Until when they can accept; null for who has').nullable(),
});

export const OneStaffMember = z.strictObject({ id: RecordId });

export const UpdateStaffMember = z.strictObject({ id: RecordId, role: Role });

export const InviteStaffMember = z.strictObject({ email: Email, role: Role });

/** What `POST /api/admin/invitations/accept` takes. */
export const AcceptInvitation = z
  .strictObject({
    token: boundedText(100).meta({
      description: 'What stands after `#` in the link that was mailed',
      examples: ['svc_invite_3Tq8bXn0LrVd5Zk7HsWc2YfGm9JpAe4Ru6Ei1Ot0UiQ'],
    }),
    name: boundedText(200)
      .min(1)
      .optional()
      .meta({
        description: 'Name of the new account; left out by who is signed in',
        examples: ['Grace Bell'],
      }),
    password: newPassword.optional().meta({
      description: 'Password of the new account; left out by who is signed in',
      examples: ['staple battery horse'],
    }),
  })
  .refine(({ name, password }) => (name === undefined) === (password === undefined), {
    error: 'must have both name and password, or neither',
  })
  .meta({ title: 'AcceptInvitation' });
