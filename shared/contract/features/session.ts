import { z } from 'zod';
import { boundedText } from '../fields.ts';
import { moment } from '../moments.ts';
import { RecordId, RecordIdFilter } from '../record-id.ts';
import { Role } from '../roles.ts';
import { titled } from '../titled.ts';

/** What `POST /api/admin/session` takes. */
export const LogIn = titled('LogIn', {
  email: boundedText(254)
    .min(1)
    .meta({ description: "The owner's e-mail address", examples: ['owner@example.com'] }),
  password: boundedText(1_000)
    .min(1)
    .meta({ description: "The owner's password", examples: ['correct horse battery'] }),
  site_id: RecordIdFilter.optional().describe(
    'Which of their sites; needed by whoever works on several, where the host names none',
  ),
});

const owner = z
  .strictObject({
    id: RecordId,
    email: z.string().meta({ description: 'E-mail address', examples: ['owner@example.com'] }),
    name: z.string().meta({ description: 'Name', examples: ['Ada Marsh'] }),
  })
  .describe('Who is logged in');
const expires_at = moment('When the session ends');
const siteName = z.string().meta({ description: 'Name of the site', examples: ['Ada Marsh'] });

export const OwnerSession = titled('OwnerSession', {
  token: z.string().describe('Sent as `Authorization: Bearer …`; shown only here'),
  expires_at,
  owner,
  role: Role,
});

export const CurrentSession = titled('CurrentSession', {
  owner,
  role: Role,
  site: z.strictObject({ id: RecordId, name: siteName }).describe('The site that is administered'),
  expires_at,
});

/** A site that somebody works on. */
export const OwnSite = titled('OwnSite', { id: RecordId, name: siteName, role: Role });

/** One that somebody may sign in to; in the sites of `site_required`. */
export type SiteChoice = z.infer<typeof OwnSite>;

export const EnterSite = z.strictObject({ id: RecordId });
