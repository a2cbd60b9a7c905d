import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { boundedText } from '../fields.ts';
import { moment } from '../moments.ts';
import { simpleList } from '../pagination.ts';
import { RecordId, RecordIdFilter } from '../record-id.ts';
import {
  PasskeyCreationOptions,
  PasskeyRegistration,
  PasskeyRequestOptions,
  PasskeyResponse,
} from './passkeys.ts';

/** What somebody proves by that it is they. */
export const factorNames = ['totp', 'passkey', 'recovery'] as const;

export const FactorName = documented(
  z.enum(factorNames),
  '`totp` a code of an app, `passkey` a passkey, `recovery` a code that was written down',
  'totp',
);

export type FactorName = z.infer<typeof FactorName>;

/** How long a challenge can be answered, and how often somebody may try. */
export const challengeRules = { minutes: 5, tries: 5 };

/** How long a proof counts as fresh. */
export const proofMinutes = 10;

/** How many codes somebody has for when they have lost all else. */
export const recoveryCodeCount = 10;

/** How many second factors somebody may have. */
export const mostFactors = 20;

const factorName = documented(boundedText(100).min(1), 'What its owner calls it', 'Phone');

/** A second factor of somebody who works on a site. */
const Factor = titled('Factor', {
  id: RecordId,
  kind: z.enum(['totp', 'passkey']).describe('An app with codes, or a passkey'),
  name: factorName,
  created: moment('When it was added'),
  last_used_at: moment('When it was last used; null for never').nullable(),
});

/** What `studio.factors.list` gives. */
export const FactorList = simpleList(Factor).extend({
  recovery_codes: documented(z.int(), 'How many recovery codes are left', 10),
});

const recoveryCodes = documented(z.array(z.string()), 'Codes of one use, shown only here', [
  '3kq7-x2ma-9hfd-wv4c',
]);

export const RecoveryCodes = z.strictObject({ recovery_codes: recoveryCodes });

export const AddedFactor = z.strictObject({
  id: RecordId,
  recovery_codes: recoveryCodes
    .nullable()
    .describe('With the first factor, codes of one use, shown only here; null with any other'),
});

export const RenameFactor = z.strictObject({ id: RecordId, name: factorName });

/** What begins to add a factor. */
export const BeginFactor = z.strictObject({
  current: documented(boundedText(1_000).min(1), 'The password as it is', 'correct horse battery'),
});

export const NewTotp = z.strictObject({
  secret: documented(
    z.string(),
    'To type into an app, in base32; shown only here',
    'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  ),
  uri: z.string().describe('The same as `otpauth://`, for a QR code'),
});

const code = documented(
  boundedText(40).min(1),
  'Six digits of the app, or a recovery code; blanks and hyphens do not count',
  '287082',
);

export const ConfirmTotp = z.strictObject({ code, name: factorName.optional() });

export const NewPasskey = z.strictObject({ options: PasskeyCreationOptions });

export const FinishPasskey = z.strictObject({ response: PasskeyRegistration, name: factorName });

const challenge = documented(
  boundedText(100).min(1),
  'What the answer before said; it is good for five minutes, five tries and one use',
  'q2Zb7dJx0VtR5uLmq2Zb7dJx0VtR5uLmq2Zb7dJx0Vt',
);

/** What `POST /api/admin/session/passkey` answers. */
export const PasskeySignIn = titled('PasskeySignIn', { challenge, options: PasskeyRequestOptions });

/** What `POST /api/admin/session/factor` takes. */
export const AnswerChallenge = z
  .strictObject({
    challenge,
    code: code.optional(),
    response: PasskeyResponse.optional(),
    site_id: RecordIdFilter.optional().describe(
      'After `site_required`, which of the sites, with the same challenge and nothing else',
    ),
  })
  .refine(({ code, response }) => code === undefined || response === undefined, {
    error: 'must have a code or a response, not both',
  })
  .meta({
    title: 'AnswerChallenge',
    examples: [{ challenge: 'q2Zb7dJx0VtR5uLmq2Zb7dJx0VtR5uLmq2Zb7dJx0Vt', code: '287082' }],
  });

/** What `POST /api/admin/session/proof` takes. */
export const ProveSession = z
  .strictObject({
    challenge: challenge.optional(),
    code: code.optional(),
    response: PasskeyResponse.optional(),
  })
  .refine(({ code, response }) => code === undefined || response === undefined, {
    error: 'must have a code or a response, not both',
  })
  .refine(({ challenge, response }) => response === undefined || challenge !== undefined, {
    error: 'a response comes with its challenge',
  })
  .meta({ title: 'ProveSession', examples: [{ code: '287082' }] });

/** What `POST /api/admin/session/proof` answers. */
export const SessionProof = titled('SessionProof', {
  factors: z.array(FactorName).describe('What a proof may come from; empty for who has none'),
  challenge: z
    .string()
    .nullable()
    .describe('What a passkey’s response comes with; null with a proof, and for who has none'),
  options: PasskeyRequestOptions.nullable().describe('For a passkey, where there is one'),
  proved_until: moment('Until when the proof counts; null where there is none yet').nullable(),
});

/** How a second factor is to be given; in `second_factor_required`. */
export interface FactorChallenge {
  /** What the answer comes with: five minutes, five tries, one use. */
  challenge: string;
  /** What it may come from. */
  factors: readonly FactorName[];
  /** For a passkey, where there is one. */
  options?: PasskeyRequestOptions;
}
