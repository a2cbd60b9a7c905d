import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { comparableEmail, maxEmailLength } from '../email.ts';
import { boundedText } from '../fields.ts';
import { RecordId, RecordIdFilter } from '../record-id.ts';
import { Role } from '../roles.ts';
import { timestamp } from '../timestamps.ts';

/**
 * Email address for signing in, converted to the stored form for comparison. Any text is accepted as input, because a
 * login with an unknown or malformed address fails with `unauthorized` like any other.
 */
const Login = boundedText(maxEmailLength).min(1).overwrite(comparableEmail);

export const LogIn = titled('LogIn', {
  email: documented(Login, 'Email address of the account', 'owner@example.com'),
  password: documented(boundedText(1_000).min(1), 'Password of the account', 'correct horse battery'),
  site_id: RecordIdFilter.optional().describe(
    'ID of the site to sign in to; required if the account has access to several sites and the request host does not belong to one of them',
  ),
});

const owner = z
  .strictObject({
    id: RecordId,
    email: documented(z.string(), 'Email address', 'owner@example.com'),
    name: documented(z.string(), 'Name', 'Ada Marsh'),
  })
  .describe('Person who is signed in');
const expires_at = timestamp('Expiry time of the session');
const siteName = documented(z.string(), 'Name of the site', 'Ada Marsh');

export const OwnerSession = titled('OwnerSession', {
  token: z
    .string()
    .describe('Session token, to be sent as `Authorization: Bearer …`; returned only in this response'),
  expires_at,
  owner,
  role: Role,
});

export const CurrentSession = titled('CurrentSession', {
  owner,
  role: Role,
  site: z.strictObject({ id: RecordId, name: siteName }).describe('Site of the session'),
  expires_at,
});

export const OwnSite = titled('OwnSite', { id: RecordId, name: siteName, role: Role });

/** Site that a person may sign in to, as part of the error `site_required`. */
export type SiteChoice = z.infer<typeof OwnSite>;
