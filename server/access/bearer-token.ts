import { ApiError } from '../kernel/api-error.ts';

/** Kinds of credentials, by how they begin. */
const credentials = {
  svc_live_: 'an API key',
  svc_owner_: "an owner's session token",
  svc_member_: "a member's session token",
} as const;

type Marker = keyof typeof credentials;

/** The credential of `Authorization: Bearer …`; throws `unauthorized` when there is none, or one of another kind. */
export function bearerToken(authorization = '', wanted: Marker): string {
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  if (!token) throw new ApiError('unauthorized');
  for (const [marker, kind] of Object.entries(credentials)) {
    if (marker !== wanted && token.startsWith(marker)) {
      throw new ApiError('unauthorized', `this is ${kind}; this path needs ${credentials[wanted]}`);
    }
  }
  return token;
}
