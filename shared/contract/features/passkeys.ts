import { z } from 'zod';
import { documented, titled } from '../documented.ts';

// The JSON forms of WebAuthn, https://www.w3.org/TR/webauthn-3/#sctn-parseCreationOptionsFromJSON and the like: what
// browsers give and take, who go on to add to it. So what is not known here is dropped, not refused.

const transports = documented(z.array(z.string().max(32)).max(10), 'How it is reached', ['internal']);

const bytes = (description: string, most = 10_000) =>
  z
    .string()
    .max(most)
    .regex(/^[\w-]*$/, { error: 'must be base64url' })
    .describe(`${description}, in base64url`);

const type = z.literal('public-key').describe('Kind of credential');

const descriptor = z.strictObject({
  id: z.string().describe('Id of the passkey, in base64url'),
  type,
  transports: transports.optional(),
});

const challenge = z.string().describe('What is signed, in base64url');

const userVerification = z
  .enum(['required', 'preferred', 'discouraged'])
  .describe('Whether it has to ask who uses it');

const timeout = documented(z.int(), 'Milliseconds', 300_000);

/** For `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export const PasskeyRequestOptions = titled('PasskeyRequestOptions', {
  challenge,
  rpId: documented(z.string(), 'Host name that passkeys are bound to', 'example.com'),
  allowCredentials: z.array(descriptor).optional().describe('The passkeys that will do; any when left out'),
  timeout,
  userVerification,
}).describe('Options for `navigator.credentials.get`, as JSON');

export type PasskeyRequestOptions = z.infer<typeof PasskeyRequestOptions>;

/** For `PublicKeyCredential.parseCreationOptionsFromJSON`. */
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
  id: bytes('Id of the passkey', 2_000),
  rawId: bytes('The same', 2_000),
  type,
};

/** What `navigator.credentials.get` gave, as its `toJSON` writes it. */
export const PasskeyResponse = z
  .object({
    ...credential,
    response: z
      .object({
        clientDataJSON: bytes('What the browser says was asked, and where'),
        authenticatorData: bytes('What the passkey says'),
        signature: bytes('Its signature of both'),
        userHandle: bytes('Whose it is', 200).nullish(),
      })
      .describe('What was signed'),
  })
  .meta({ title: 'PasskeyResponse', description: 'What `navigator.credentials.get` gave, as JSON' });

export type PasskeyResponse = z.infer<typeof PasskeyResponse>;

/** What `navigator.credentials.create` gave, as its `toJSON` writes it. */
export const PasskeyRegistration = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: bytes('What the browser says was asked, and where'),
      attestationObject: bytes('The new passkey', 50_000),
      transports: transports.optional(),
    }),
  })
  .meta({ title: 'PasskeyRegistration', description: 'What `navigator.credentials.create` gave, as JSON' });
