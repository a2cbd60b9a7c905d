import { createHmac } from 'node:crypto';
import type { TestApp } from './app.ts';
import { createAuthenticator } from './authenticator.ts';
import { ownerClient } from './rpc.ts';

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns the code that an authenticator app shows at a time (RFC 6238). */
export function codeAt(secret: string, timestamp: Date): string {
  const bits = [...secret].map((letter) => base32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(timestamp.getTime() / 30_000)));
  const mac = createHmac('sha1', key).update(counter).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** Creates an owner who is signed in with their password. */
export async function startOwner(app: TestApp) {
  const login = await app.seed.owner();
  const { body } = await app.post('/api/admin/session', { body: login });
  const { token } = body as { token: string };
  return { login, token, studio: ownerClient(app.baseUrl, token).studio };
}

export type Owner = Awaited<ReturnType<typeof startOwner>>;

/**
 * Adds an authenticator app to an owner. `code` returns the code of the next half minute, which is already valid,
 * because the current one was used.
 */
export async function addApp(app: TestApp, { studio, login }: Owner) {
  const { secret } = await studio.factors.totp.begin.mutate({ current: login.password });
  const now = () => app.clock.now().getTime();
  const first = codeAt(secret, new Date(now()));
  const { id, recovery_codes } = await studio.factors.totp.confirm.mutate({ code: first, name: 'Phone' });
  const code = () => codeAt(secret, new Date(now() + 30_000));
  return { id, code, secret, recoveryCodes: recovery_codes ?? [] };
}

/** Adds a passkey to an owner. */
export async function addPasskey({ studio, login }: Owner) {
  const authenticator = createAuthenticator();
  const { options } = await studio.factors.passkeys.begin.mutate({ current: login.password });
  const response = authenticator.create(options);
  const { id, recovery_codes } = await studio.factors.passkeys.finish.mutate({ response, name: 'Key' });
  return { id, authenticator, recoveryCodes: recovery_codes ?? [] };
}

/** Returns the credential and input of a procedure about second factors. */
export async function inputOfFactorCall(app: TestApp, name: string) {
  const owner = await startOwner(app);
  const { login, studio, token: credential } = owner;
  const current = login.password;
  if (/\.(list|begin)$/.test(name)) return { credential, input: { current } };
  if (name === 'studio.factors.totp.confirm') {
    const { secret } = await studio.factors.totp.begin.mutate({ current });
    return { credential, input: { code: codeAt(secret, app.clock.now()) } };
  }
  if (name === 'studio.factors.passkeys.finish') {
    const { options } = await studio.factors.passkeys.begin.mutate({ current });
    return { credential, input: { response: createAuthenticator().create(options) } };
  }
  const { id, code } = await addApp(app, owner);
  if (name === 'admin.session.factor')
    return { credential: '', input: { challenge: (await askedFor(app, owner)).challenge, code: code() } };
  if (name === 'admin.session.proof') return { credential, input: { code: code() } };
  return { credential, input: /\.(remove|rename)$/.test(name) ? { id } : {} };
}

/** Second factor that a sign-in requires. */
export interface RequestedFactor {
  challenge: string;
  factors: string[];
  options?: { challenge: string; rpId: string; timeout: number; userVerification: 'preferred' };
}

/** Signs in with the password, up to the second factor. Throws if none is required. */
export async function askedFor(app: TestApp, { login }: Pick<Owner, 'login'>): Promise<RequestedFactor> {
  const { status, body } = await app.post('/api/admin/session', { body: login });
  const { error } = body as { error: RequestedFactor & { code: string } };
  if (status !== 401 || error.code !== 'second_factor_required')
    throw new Error(`the sign-in did not require a second factor: ${JSON.stringify(body)}`);
  return error;
}
