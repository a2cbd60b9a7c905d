import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { comparableEmail, maxEmailLength } from '../email.ts';
import { boundedText } from '../fields.ts';
import { moment } from '../moments.ts';
import { RecordId, RecordIdFilter } from '../record-id.ts';
import { Role } from '../roles.ts';

/** A text that is compared with stored addresses. Any text is accepted, because a wrong login is `unauthorized` whatever it is. */
const Login = boundedText(maxEmailLength).min(1).overwrite(comparableEmail);

/** What `POST /api/admin/session` takes. */
export const LogIn = titled('LogIn', {
  email: documented(Login, "The owner's e-mail address", 'owner@example.com'),
  password: documented(boundedText(1_000).min(1), "The owner's password", 'correct horse battery'),
  site_id: RecordIdFilter.optional().describe(
    'Which of their sites; needed by whoever works on several, where the host names none',
  ),
});

const owner = z
  .strictObject({
    id: RecordId,
    email: documented(z.string(), 'E-mail address', 'owner@example.com'),
    name: documented(z.string(), 'Name', 'Ada Marsh'),
  })
  .describe('Who is logged in');
const expires_at = moment('When the session ends');
const siteName = documented(z.string(), 'Name of the site', 'Ada Marsh');

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
