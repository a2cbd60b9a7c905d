import type { WebAuthnCredential } from '@simplewebauthn/server';
import { z } from 'zod';
import { challengeRules } from '../../../../shared/contract/features/factors.ts';
import type {
  PasskeyCreationOptions,
  PasskeyRegistration,
  PasskeyRequestOptions,
  PasskeyResponse,
} from '../../../../shared/contract/features/passkeys.ts';
import type { Transaction } from '../../../../shared/db/config.ts';
import { FactorEntity } from '../../../../shared/db/entities/factor.ts';
import { safeParseJson } from '../../../../shared/runtime/parse-json.ts';
import type { Context } from '../../../api/context.ts';
import type { StoreDeps } from '../../../api/deps.ts';

/** Loads the library on first use, because it is large. */
const library = () => import('@simplewebauthn/server');

/** EdDSA, ES256 and RS256: every authenticator supports one of them, and Node all. */
const algorithms = [-8, -7, -257];

const timeout = challengeRules.minutes * 60_000;

type Ceremony = Pick<Context, 'deps' | 'origin'>;

/**
 * Returns the relying party. Passkeys are valid at the service's own origin. On localhost, where the service is tried
 * out, any port is accepted.
 */
function relyingParty({ deps: { config }, origin }: Ceremony) {
  const { hostname, origin: own } = config.publicUrl;
  const isHere = hostname === 'localhost' && URL.parse(origin ?? '')?.hostname === hostname;
  return { id: hostname, origins: isHere && origin ? [own, origin] : [own] };
}

const bytesOf = (base64url: string) => Uint8Array.from(Buffer.from(base64url, 'base64url'));

const handleOf = (personId: string) => Buffer.from(personId).toString('base64url');

interface Credential extends WebAuthnCredential {
  person_id: string;
  factor_id: string;
}

const passkeysIn = (em: Transaction) =>
  em
    .getKysely()
    .selectFrom('factors')
    .select(['person_id', 'id as factor_id', 'credential_id', 'public_key', 'counter', 'transports'])
    .where('kind', '=', 'passkey');

type PasskeyRow = Awaited<ReturnType<ReturnType<typeof passkeysIn>['execute']>>[number];

const credentialOf = ({ person_id, factor_id, ...row }: PasskeyRow): Credential => ({
  person_id,
  factor_id,
  id: row.credential_id ?? '',
  publicKey: bytesOf(row.public_key ?? ''),
  counter: row.counter ?? 0,
  transports: row.transports,
});

const credentialsOf = async (deps: StoreDeps, personId: string) => {
  const rows = await passkeysIn(deps.database.em).where('person_id', '=', personId).execute();
  return rows.map(credentialOf);
};

const described = ({ id, transports = [] }: Credential) => ({ id, type: 'public-key' as const, transports });

/** Creates the browser's options for adding a passkey. The browser's response contains this challenge. */
export async function creationOptions(
  ceremony: Ceremony,
  { person_id, email, name }: { person_id: string; email: string; name: string },
  challenge: string,
): Promise<z.infer<typeof PasskeyCreationOptions>> {
  const { id } = relyingParty(ceremony);
  const others = await credentialsOf(ceremony.deps, person_id);
  return {
    challenge,
    rp: { id, name: id },
    user: { id: handleOf(person_id), name: email, displayName: name },
    pubKeyCredParams: algorithms.map((alg) => ({ alg, type: 'public-key' })),
    timeout,
    excludeCredentials: others.map(described),
    authenticatorSelection: {
      residentKey: 'preferred',
      requireResidentKey: false,
      userVerification: 'preferred',
    },
    attestation: 'none',
  };
}

/**
 * Creates the browser's options for using a passkey of this person. If `personId` is null, any passkey is accepted that
 * names its person and has verified the user.
 */
export async function requestOptions(
  ceremony: Ceremony,
  personId: string | null,
  challenge: string,
): Promise<PasskeyRequestOptions> {
  const base = { challenge, rpId: relyingParty(ceremony).id, timeout };
  if (personId === null) return { ...base, userVerification: 'required' };
  const own = await credentialsOf(ceremony.deps, personId);
  return { ...base, allowCredentials: own.map(described), userVerification: 'preferred' };
}

const ClientData = z.object({ challenge: z.string() });

/** Returns the challenge in the browser's client data; empty if it is unreadable. The response is not verified yet. */
export function challengeIn({ clientDataJSON }: { clientDataJSON: string }): string {
  const { data } = ClientData.safeParse(safeParseJson(Buffer.from(clientDataJSON, 'base64url').toString()));
  return data?.challenge ?? '';
}

/**
 * Verifies a new passkey and returns its columns; null if the response does not match the challenge or the relying
 * party.
 */
export async function readRegistration(
  ceremony: Ceremony,
  { id, rawId, type, response }: z.infer<typeof PasskeyRegistration>,
  challenge: string,
) {
  const { verifyRegistrationResponse } = await library();
  const { id: expectedRPID, origins: expectedOrigin } = relyingParty(ceremony);
  const { clientDataJSON, attestationObject, transports = [] } = response;
  const outcome = await refusedAsNull(
    verifyRegistrationResponse({
      response: {
        ...{ id, rawId, type, clientExtensionResults: {} },
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge: challenge,
      expectedOrigin,
      expectedRPID,
      requireUserVerification: false,
      supportedAlgorithmIDs: algorithms,
    }),
  );
  if (!outcome?.verified) return null;
  const { credential } = outcome.registrationInfo;
  // Only the length of `id` was validated, so no other ID may be stored.
  if (credential.id !== id) return null;
  return {
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports,
  };
}

/**
 * Verifies the passkey that signed the challenge, and returns its person's ID. Null if verification fails, or if the
 * counter did not increase, which indicates a copy. Authenticators without a counter always send 0. If `person_id` is
 * null, the passkey must have verified the user.
 */
export async function usePasskey(
  { em, ...ceremony }: Ceremony & { em: Transaction },
  { id, rawId, type, response }: PasskeyResponse,
  challenge: string,
  person_id: string | null,
): Promise<string | null> {
  const { deps } = ceremony;
  const row = await passkeysIn(em).where('credential_id', '=', id).executeTakeFirst();
  if (!row || (person_id !== null && row.person_id !== person_id)) return null;
  const { userHandle } = response;
  if (userHandle ? userHandle !== handleOf(row.person_id) : person_id === null) return null;
  const { verifyAuthenticationResponse } = await library();
  const { id: expectedRPID, origins: expectedOrigin } = relyingParty(ceremony);
  const credential = credentialOf(row);
  const { clientDataJSON, authenticatorData, signature } = response;
  const outcome = await refusedAsNull(
    verifyAuthenticationResponse({
      response: {
        ...{ id, rawId, type, clientExtensionResults: {} },
        response: { clientDataJSON, authenticatorData, signature },
      },
      expectedChallenge: challenge,
      expectedOrigin,
      expectedRPID,
      credential,
      requireUserVerification: person_id === null,
    }),
  );
  if (!outcome?.verified) return null;
  const { newCounter: counter } = outcome.authenticationInfo;
  // The second of two concurrent responses is compared with the counter that the first one stored.
  const before = { person_id: row.person_id, id: row.factor_id, counter: credential.counter };
  const used = { counter, last_used_at: deps.clock.now() };
  return (await em.nativeUpdate(FactorEntity, before, used)) > 0 ? row.person_id : null;
}

/** Maps errors of the library to null: the caller does not learn what was wrong with a response. */
const refusedAsNull = <T>(checked: Promise<T>): Promise<T | null> => checked.catch(() => null);
