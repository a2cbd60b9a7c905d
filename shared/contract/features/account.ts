import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { boundedText, Email } from '../fields.ts';
import { minPasswordLength } from '../limits.ts';
import { RecordId } from '../record-id.ts';
import { timestamp } from '../timestamps.ts';

/** Lifetime of the link for choosing a new password, in minutes. */
export const passwordResetMinutes = 30;

/** Lifetime of the link for confirming a new address, in hours. */
export const emailChangeHours = 24;

/** Password that a person chooses, with at least `minPasswordLength` UTF-16 units. */
export const newPassword = documented(
  boundedText(1_000).min(minPasswordLength),
  'New password',
  'staple battery horse',
);

export const RequestPasswordReset = titled('RequestPasswordReset', { email: Email });

export const ResetPassword = titled('ResetPassword', {
  token: documented(
    boundedText(100),
    'Token from the emailed link: the part after `#`',
    'svc_reset_3Tq8bXn0LrVd5Zk7HsWc2YfGm9JpAe4Ru6Ei1Ot0UiQ',
  ),
  password: newPassword,
});

/**
 * Name of a person: one line with at least one visible character. Characters that change the text direction are
 * refused, because colleagues read names in lists and emails.
 */
export const PersonName = boundedText(200)
  .min(1)
  .refine(
    (name) => /[^\p{C}\p{Z}]/u.test(name) && !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(name),
    {
      error: 'must be one line of text',
    },
  );

export const RenamePerson = z.strictObject({ name: documented(PersonName, 'Name', 'Grace Bell') });

const current = documented(boundedText(1_000).min(1), 'Current password', 'correct horse battery');

export const ChangePassword = z.strictObject({ current, password: newPassword });

export const ChangeEmail = z.strictObject({ email: Email, current });

export const ConfirmEmail = titled('ConfirmEmail', {
  token: documented(
    boundedText(1_000),
    'Token from the emailed link: the part after `#`',
    'svc_email_v1.q8bXn0LrVd5Zk7HsWc2YfGm9JpAe4Ru6Ei1Ot0UiQ',
  ),
});

/** Session of a browser or program that is signed in as the person. */
export const SignedInSession = titled('SignedInSession', {
  id: RecordId,
  created: timestamp('Sign-in time'),
  last_used_at: timestamp(
    'Time of the last use, accurate to a few minutes; null if not known yet',
  ).nullable(),
  expires_at: timestamp('Expiry time'),
  browser: documented(
    z.string().nullable(),
    'Browser and operating system; null if the client is not a browser',
    'Firefox on Linux',
  ),
  address: documented(
    z.string().nullable(),
    'IP address at sign-in, without its last part; null if not known',
    '203.0.113.x',
  ),
  is_current: z.boolean().describe('True if this request uses the session'),
});
