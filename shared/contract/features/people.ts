import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { boundedText, Email } from '../fields.ts';
import { moment } from '../moments.ts';
import { RecordId } from '../record-id.ts';
import { Role } from '../roles.ts';
import { newPassword, PersonName } from './account.ts';

/** How long an invitation can be accepted. */
export const invitationDays = 7;

/** Somebody who works on a site, or was asked to. */
export const StaffMember = titled('StaffMember', {
  id: RecordId.describe('Id of the person, or of the invitation while they have not accepted'),
  state: z.enum(['active', 'invited']).describe('Whether they have accepted'),
  email: documented(z.string(), 'E-mail address', 'grace@example.com'),
  name: documented(z.string(), 'Name; empty while nobody has accepted', 'Grace Bell'),
  role: Role,
  created: moment('When they came, or were asked'),
  expires_at: moment('Until when they can accept; null for who has').nullable(),
});

export const UpdateStaffMember = z.strictObject({ id: RecordId, role: Role });

export const InviteStaffMember = z.strictObject({ email: Email, role: Role });

/** What `POST /api/admin/invitations/accept` takes. */
export const AcceptInvitation = z
  .strictObject({
    token: documented(
      boundedText(100),
      'What stands after `#` in the link that was mailed',
      'svc_invite_3Tq8bXn0LrVd5Zk7HsWc2YfGm9JpAe4Ru6Ei1Ot0UiQ',
    ),
    name: documented(
      PersonName.optional(),
      'Name of the new account; left out by who is signed in',
      'Grace Bell',
    ),
    password: documented(
      newPassword.optional(),
      'Password of the new account; left out by who is signed in',
      'staple battery horse',
    ),
  })
  .refine(({ name, password }) => (name === undefined) === (password === undefined), {
    error: 'must have both name and password, or neither',
  })
  .meta({ title: 'AcceptInvitation' });
