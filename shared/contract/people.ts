import { z } from 'zod';
import { moment } from './moments.ts';
import { RecordId } from './record-id.ts';
import { Role } from './roles.ts';

/** Somebody who works on a site, or was asked to. */
export const StaffMember = z
  .strictObject({
    id: RecordId.meta({ description: 'Id of the person, or of the invitation while they have not accepted' }),
    state: z.enum(['active', 'invited']).meta({ description: 'Whether they have accepted' }),
    email: z.string().meta({ description: 'E-mail address', examples: ['grace@example.com'] }),
    name: z.string().meta({
      description: 'Name; empty while nobody has accepted',
      examples: ['Grace Bell'],
    }),
    role: Role,
    created: moment('When they came, or were asked'),
    expires_at: moment('Until when they can accept; null for who has').nullable(),
  })
  .meta({ title: 'StaffMember' });

export const OneStaffMember = z.strictObject({ id: RecordId });

export const UpdateStaffMember = z.strictObject({ id: RecordId, role: Role });
