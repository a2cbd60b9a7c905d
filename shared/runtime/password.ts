import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const argon2Async = promisify(argon2);

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;

/** Returns the text to store for a password: its salt and argon2id hash. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `argon2id$${salt.toString('base64url')}$${(await derive(password, salt)).toString('base64url')}`;
}

/** True if `stored` was made from `password`. If `stored` is undefined, it returns false after the same time. */
export async function passwordMatches(password: string, stored: string | undefined): Promise<boolean> {
  const [, salt = '', tag = ''] = stored?.split('$') ?? [];
  const derived = await derive(password, stored ? Buffer.from(salt, 'base64url') : Buffer.alloc(16));
  const expected = Buffer.from(tag, 'base64url');
  return expected.length === derived.length && timingSafeEqual(expected, derived);
}

const derive = (password: string, nonce: Buffer) =>
  argon2Async('argon2id', { message: password, nonce, ...cost });
