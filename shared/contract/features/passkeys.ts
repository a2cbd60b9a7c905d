import { z } from 'zod';
import { documented, titled } from '../documented.ts';

// JSON forms of WebAuthn, such as https://www.w3.org/TR/webauthn-3/#sctn-parseCreationOptionsFromJSON. Browsers add
// members over time, so unknown members in their responses are dropped rather than refused.

const transports = documented(z.array(z.string().max(32)).max(10), 'Transports of the authenticator', [
  'internal',
]);

const bytes = (description: string, max = 10_000) =>
  z
    .string()
    .max(max)
    .regex(/^[\w-]*$/, { error: 'must be base64url text' })
    .describe(`${description}, in base64url`);

const type = z.literal('public-key').describe('Kind of credential');

const descriptor = z.strictObject({
  id: z.string().describe('ID of the passkey, in base64url'),
  type,
  transports: transports.optional(),
});

const challenge = z.string().describe('Challenge to sign, in base64url');

const userVerification = z
  .enum(['required', 'preferred', 'discouraged'])
  .describe('Requirement for user verification');

const timeout = documented(z.int(), 'Timeout in milliseconds', 300_000);

/** Options for `PublicKeyCredential.parseRequestOptionsFromJSON`. `timeout` is in milliseconds. */
export const PasskeyRequestOptions = titled('PasskeyRequestOptions', {
  challenge,
  rpId: documented(z.string(), 'Host name for which passkeys are valid', 'example.com'),
  allowCredentials: z.array(descriptor).optional().describe('Accepted passkeys; any passkey if absent'),
  timeout,
  userVerification,
}).describe('Options for `navigator.credentials.get`, as JSON');

export type PasskeyRequestOptions = z.infer<typeof PasskeyRequestOptions>;

/** Options for `PublicKeyCredential.parseCreationOptionsFromJSON`. `timeout` is in milliseconds. */
export const PasskeyCreationOptions = titled('PasskeyCreationOptions', {
  challenge,
  rp: z.strictObject({ id: z.string(), name: z.string() }),
  user: z.strictObject({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.strictObject({ alg: z.int(), type: z.literal('public-key') })),
  timeout,
  excludeCredentials: z.array(descriptor),
  authenticatorSelection: z.strictObject({
    residentKey: userVerification,
    requireResidentKey: z.boolean(),
    userVerification,
  }),
  attestation: z.literal('none'),
}).describe('Options for `navigator.credentials.create`, as JSON');

const credential = {
  id: bytes('ID of the passkey', 2_000),
  rawId: bytes('ID of the passkey, same as `id`', 2_000),
  type,
};

/** Result of `navigator.credentials.get`, as its `toJSON` writes it. */
export const PasskeyResponse = z
  .object({
    ...credential,
    response: z
      .object({
        clientDataJSON: bytes('Client data: type, challenge and origin, as the browser saw them'),
        authenticatorData: bytes('Authenticator data'),
        signature: bytes('Signature of authenticator data and client data'),
        userHandle: bytes('User handle: ID of the account', 200).nullish(),
      })
      .describe('Response of the authenticator'),
  })
  .meta({ title: 'PasskeyResponse', description: 'Result of `navigator.credentials.get`, as JSON' });

export type PasskeyResponse = z.infer<typeof PasskeyResponse>;

/** Result of `navigator.credentials.create`, as its `toJSON` writes it. */
export const PasskeyRegistration = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: bytes('Client data: type, challenge and origin, as the browser saw them'),
      attestationObject: bytes('Attestation object with the new passkey', 50_000),
      transports: transports.optional(),
    }),
  })
  .meta({ title: 'PasskeyRegistration', description: 'Result of `navigator.credentials.create`, as JSON' });
