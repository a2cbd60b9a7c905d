import { createHash } from 'node:crypto';
import { idempotency } from '../../../shared/contract/limits.ts';
import { ApiError } from '../api-error.ts';
import type { Context } from '../context.ts';
import type { Request } from './kept-answers.ts';

const { min, max } = idempotency.keyLength;
const printable = new RegExp(`^[\\x20-\\x7e]{${min},${max}}$`);

/**
 * What a repetition of the request is known by. Who calls without a credential is known by the client's address, the
 * member's token and the whole request, so that two who happen on one key never meet: answers can hold tokens. Hashes are
 * keyed, since bodies can hold passwords. Throws `invalid_request` for a key that is none.
 */
export function identify({ deps, once, siteId, credential, client, memberToken }: Context): Request {
  const [key, ...others] = once?.keys ?? [];
  if (others.length > 0) throw new ApiError('invalid_request', 'Idempotency-Key: came more than once');
  if (!once || key === undefined || !printable.test(key)) {
    throw new ApiError(
      'invalid_request',
      `Idempotency-Key: must be ${min}-${max} printable ASCII characters`,
    );
  }
  if (siteId === undefined) throw new Error(`${once.target}: its site is unknown`);
  const { fingerprint } = deps.webhooks.secrets;
  const request_hash = fingerprint(`${once.target}\n${createHash('sha256').update(once.body).digest('hex')}`);
  const visitor = () => `visitor ${fingerprint(JSON.stringify([client, memberToken, request_hash]))}`;
  return { site_id: siteId, credential: credential ?? visitor(), key, request_hash };
}
