import { z } from 'zod';
import { boundedText } from './fields.ts';
import { moment } from './moments.ts';
import { RecordId } from './record-id.ts';

/** What `POST /api/admin/session` takes. */
export const LogIn = z
  .strictObject({
    email: boundedText(254)
      .min(1)
      .meta({ description: "The owner's e-mail address", examples: ['owner@example.com'] }),
    password: boundedText(1_000)
      .min(1)
      .meta({ description: "The owner's password", examples: ['correct horse battery'] }),
  })
  .meta({ title: 'LogIn' });

const owner = z
  .strictObject({
    id: RecordId,
    email: z.string().meta({ description: 'E-mail address', examples: ['owner@example.com'] }),
    name: z.string().meta({ description: 'Name', examples: ['Ada Marsh'] }),
  })
  .meta({ description: 'Who is logged in' });
const expires_at = moment('When the session ends');

export const OwnerSession = z
  .strictObject({
    token: z.string().meta({ description: 'Sent as `Authorization: Bearer …`; shown only here' }),
    expires_at,
    owner,
  })
  .meta({ title: 'OwnerSession' });

export const CurrentSession = z
  .strictObject({
    owner,
    site: z
      .strictObject({
        id: RecordId,
        name: z.string().meta({ description: 'Name', examples: ['Ada Marsh'] }),
      })
      .meta({ description: 'The site that is administered' }),
    expires_at,
  })
  .meta({ title: 'CurrentSession' });
