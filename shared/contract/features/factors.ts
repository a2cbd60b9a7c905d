import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { boundedText } from '../fields.ts';
import { simpleList } from '../pagination.ts';
import { RecordId, RecordIdFilter } from '../record-id.ts';
import { timestamp } from '../timestamps.ts';
import {
  PasskeyCreationOptions,
  PasskeyRegistration,
  PasskeyRequestOptions,
  PasskeyResponse,
} from './passkeys.ts';

/** Names of second factors, including recovery codes. */
export const factorNames = ['totp', 'passkey', 'recovery'] as const;

export const FactorName = documented(
  z.enum(factorNames),
  'Second factor: `totp` is a code from an authenticator app, `passkey` a passkey, `recovery` a single-use recovery code',
  'totp',
);

export type FactorName = z.infer<typeof FactorName>;

/** Lifetime of a challenge in minutes, and its maximum number of attempts. */
export const challengeRules = { minutes: 5, tries: 5 };

/** Time during which a proof counts as fresh, in minutes. */
export const proofMinutes = 10;

/** Number of recovery codes of a person. */
export const recoveryCodeCount = 10;

/** Maximum number of second factors of a person. */
export const maxFactors = 20;

const factorName = documented(boundedText(100).min(1), 'Name of the second factor', 'Phone');

/** Second factor of a person who works on a site. */
const Factor = titled('Factor', {
  id: RecordId,
  kind: z.enum(['totp', 'passkey']).describe('Kind of second factor: `totp` is an authenticator app'),
  name: factorName,
  created: timestamp('Time at which it was added'),
  last_used_at: timestamp('Time of the last use; null if never used').nullable(),
});

/** Second factors of the signed-in person. */
export const FactorList = simpleList(Factor).extend({
  recovery_codes: documented(z.int(), 'Number of unused recovery codes', 10),
});

const recoveryCodes = documented(
  z.array(z.string()),
  'Single-use recovery codes; returned only in this response',
  ['3kq7-x2ma-9hfd-wv4c'],
);

export const RecoveryCodes = z.strictObject({ recovery_codes: recoveryCodes });

export const AddedFactor = z.strictObject({
  id: RecordId,
  recovery_codes: recoveryCodes
    .nullable()
    .describe(
      'Single-use recovery codes; returned only when the first second factor is added, otherwise null',
    ),
});

export const RenameFactor = z.strictObject({ id: RecordId, name: factorName });

export const BeginFactor = z.strictObject({
  current: documented(boundedText(1_000).min(1), 'Current password', 'correct horse battery'),
});

export const NewTotp = z.strictObject({
  secret: documented(
    z.string(),
    'Secret for an authenticator app, in base32; returned only in this response',
    'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  ),
  uri: z.string().describe('Secret as an `otpauth://` URI, for a QR code'),
});

const code = documented(
  boundedText(40).min(1),
  'Six-digit code from an authenticator app, or a recovery code; spaces and hyphens are ignored',
  '287082',
);

export const ConfirmTotp = z.strictObject({ code, name: factorName.optional() });

export const NewPasskey = z.strictObject({ options: PasskeyCreationOptions });

export const FinishPasskey = z.strictObject({ response: PasskeyRegistration, name: factorName });

const challenge = documented(
  boundedText(100).min(1),
  'Challenge from the previous response; valid for 5 minutes, 5 attempts and one successful use',
  'q2Zb7dJx0VtR5uLmq2Zb7dJx0VtR5uLmq2Zb7dJx0Vt',
);

export const PasskeySignIn = titled('PasskeySignIn', { challenge, options: PasskeyRequestOptions });

export const AnswerChallenge = z
  .strictObject({
    challenge,
    code: code.optional(),
    response: PasskeyResponse.optional(),
    site_id: RecordIdFilter.optional().describe(
      'ID of the site to sign in to. After `site_required`, send it with the same challenge and without `code` and `response`',
    ),
  })
  .refine(({ code, response }) => code === undefined || response === undefined, {
    error: 'must contain either `code` or `response`, not both',
  })
  .meta({
    title: 'AnswerChallenge',
    examples: [{ challenge: 'q2Zb7dJx0VtR5uLmq2Zb7dJx0VtR5uLmq2Zb7dJx0Vt', code: '287082' }],
  });

export const ProveSession = z
  .strictObject({
    challenge: challenge.optional(),
    code: code.optional(),
    response: PasskeyResponse.optional(),
  })
  .refine(({ code, response }) => code === undefined || response === undefined, {
    error: 'must contain either `code` or `response`, not both',
  })
  .refine(({ challenge, response }) => response === undefined || challenge !== undefined, {
    error: 'must contain `challenge` if it contains `response`',
  })
  .meta({ title: 'ProveSession', examples: [{ code: '287082' }] });

export const SessionProof = titled('SessionProof', {
  factors: z.array(FactorName).describe('Second factors that are accepted; empty if the person has none'),
  challenge: z
    .string()
    .nullable()
    .describe(
      'Challenge to send with a passkey response; null after a successful proof, or if the person has no second factor',
    ),
  options: PasskeyRequestOptions.nullable().describe(
    'Options for `navigator.credentials.get`; null if the person has no passkey',
  ),
  proved_until: timestamp('Time until which the proof is valid; null if there is none').nullable(),
});

/** Request for a second factor, as part of the error `second_factor_required`. */
export interface FactorChallenge {
  /** Token of the challenge, to send with the answer. It is valid for five minutes, five attempts and one success. */
  challenge: string;
  /** Second factors that are accepted. */
  factors: readonly FactorName[];
  /** Options for a passkey; absent if the person has no passkey. */
  options?: PasskeyRequestOptions;
}
