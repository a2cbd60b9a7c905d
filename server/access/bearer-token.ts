import type { Context } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';

/** The credential of `Authorization: Bearer …`; throws `unauthorized` when there is none. */
export function bearerToken({ authorization = '' }: Context): string {
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  if (!token) throw new ApiError('unauthorized');
  return token;
}
