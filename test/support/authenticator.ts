import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { z } from 'zod';
import type {
  PasskeyCreationOptions,
  PasskeyRegistration,
  PasskeyRequestOptions,
  PasskeyResponse,
} from '../../shared/contract/features/passkeys.ts';

interface Place {
  /** Origin that the browser reports. */
  origin: string;
  /** Relying party; the requested one if omitted. */
  rpId?: string;
  verifiesUser?: boolean;
}

interface State {
  id: string;
  key: KeyObject;
  cose: Buffer;
  userHandle: string;
  counter: number;
}

const here: Place = { origin: 'http://localhost:3000' };

/** Creates a simulated passkey with its browser. Its responses follow WebAuthn byte for byte. */
export function createAuthenticator(state: Partial<State> = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const kept: State = {
    id: randomBytes(32).toString('base64url'),
    key: privateKey,
    cose: Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]),
    userHandle: '',
    counter: 0,
    ...state,
  };
  const { id, key, cose } = kept;
  const dataOf = ({ rpId, verifiesUser = true }: Place & { rpId: string }, attested?: Buffer) => {
    kept.counter += 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(kept.counter);
    const flags = 0x01 | (verifiesUser ? 0x04 : 0) | (attested ? 0x40 : 0);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter, attested ?? Buffer.alloc(0)]);
  };
  return {
    /** Creates the passkey and returns the registration. */
    create(
      { challenge, rp, user }: z.infer<typeof PasskeyCreationOptions>,
      position: Place = here,
    ): z.infer<typeof PasskeyRegistration> {
      kept.userHandle = user.id;
      const raw = Buffer.from(id, 'base64url');
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, raw.length]), raw, cose]);
      const authData = dataOf({ rpId: rp.id, ...position }, attested);
      const attestationObject = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
        Buffer.from([0x58, authData.length]),
        authData,
      ]);
      return {
        ...{ id, rawId: id, type: 'public-key' },
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, position),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    /** Signs a challenge with the passkey. */
    get({ challenge, rpId }: PasskeyRequestOptions, position: Place = here): PasskeyResponse {
      const authenticatorData = dataOf({ rpId, ...position });
      const clientDataJSON = clientData('webauthn.get', challenge, position);
      const signed = Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
      return {
        ...{ id, rawId: id, type: 'public-key' },
        response: {
          clientDataJSON,
          authenticatorData: authenticatorData.toString('base64url'),
          signature: sign('sha256', signed, key).toString('base64url'),
          userHandle: kept.userHandle,
        },
      };
    },
    /** Returns a copy of the passkey with its current state. */
    copy: () => createAuthenticator({ ...kept }),
  };
}

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest();

const clientData = (type: string, challenge: string, { origin }: Place) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString('base64url');
