import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Dkim } from '../../mail/dkim.ts';
import { mailDomain, urlWith } from './values.ts';

export const mailServer = urlWith(['smtp:', 'smtps:'], 'smtp://user:password@mail.example.com:587');

/** Key sizes that receivers must support (RFC 8301), in bits. */
const dkimKeyBits = { min: 1_024, max: 4_096 } as const;

const pemOf = (text: string) =>
  text.includes('-----BEGIN') ? text.replaceAll('\\n', '\n') : readFileSync(text, 'utf8');

/** Private key in PEM format, or the path of a file with one. Error messages never contain it. */
const dkimKey = z.string().transform((text, context): KeyObject => {
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  try {
    const key = createPrivateKey(pemOf(text));
    const { modulusLength: bits = 0 } = key.asymmetricKeyDetails ?? {};
    const isUsual = key.asymmetricKeyType === 'rsa' && bits >= dkimKeyBits.min && bits <= dkimKeyBits.max;
    return isUsual ? key : refuse(`expected an RSA key of ${dkimKeyBits.min} to ${dkimKeyBits.max} bits`);
  } catch (error) {
    const isFile = error instanceof Error && 'syscall' in error;
    return refuse(
      isFile
        ? 'expected a private key in PEM format, or the path of a readable file that contains one'
        : 'expected a private key in PEM format without a password; generate with: openssl genrsa 2048',
    );
  }
});

/** Variables for signing and return addresses, shared by server, worker and `ops mail check`. */
export const mailVariables = {
  MAIL_BOUNCE_DOMAIN: mailDomain.optional().meta({
    description:
      'domain of the return addresses of newsletter emails (VERP), so that each bounce identifies its recipient',
    whenUnset: 'bounces go to the sender address and are not processed',
  }),
  DKIM_KEY: dkimKey.optional().meta({
    description:
      'RSA private key that signs email (DKIM) for the host of PUBLIC_URL, in PEM format or as the path of a file; the same for server and worker',
    whenUnset: 'email is not signed by this service; the mail server may sign it',
  }),
  DKIM_SELECTOR: z
    .string()
    .toLowerCase()
    .regex(/^(?=.{1,63}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/, {
      error: 'expected a DNS name such as s1',
    })
    .optional()
    .meta({
      description: 'name of the DKIM key, whose DNS record is at SELECTOR._domainkey.HOST',
      whenUnset: 'none',
    }),
};

export interface DkimSettings {
  DKIM_KEY?: KeyObject | undefined;
  DKIM_SELECTOR?: string | undefined;
}

/**
 * Checks the DKIM settings, for `.check()` of a Zod object. If only one of the two variables is set, it adds an issue
 * at the missing one. Returns nothing.
 */
export function needsBothForDkim({
  value: { DKIM_KEY, DKIM_SELECTOR },
  issues,
}: z.core.ParsePayload<DkimSettings>) {
  if (!DKIM_KEY === !DKIM_SELECTOR) return;
  const [missing, given] = DKIM_KEY ? ['DKIM_SELECTOR', 'DKIM_KEY'] : ['DKIM_KEY', 'DKIM_SELECTOR'];
  issues.push({ code: 'custom', path: [missing], message: `is required with ${given}`, input: undefined });
}

/** Returns the DKIM key of the settings; null if they contain none. */
export const dkimIn = ({ DKIM_KEY: key, DKIM_SELECTOR: selector }: DkimSettings): Dkim | null =>
  key && selector ? { key, selector } : null;
