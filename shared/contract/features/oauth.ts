import { z } from 'zod';

/** Location at which assistants sign in. Tokens are valid at the location that issued them only. */
export interface Issuer {
  /** Origin of the location. */
  issuer: string;
  /** URL that an assistant calls at the location. */
  resource: string;
  /** ID of the site; empty if several sites share the location. */
  siteId: string;
}

/** Error of an OAuth endpoint, in the form of RFC 6749, 5.2. */
export class OauthError extends Error {
  readonly code: keyof typeof statuses;
  readonly status: number;

  constructor(code: keyof typeof statuses, description: string) {
    super(description);
    this.code = code;
    this.status = statuses[code];
  }
}

const statuses = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  invalid_target: 400,
  unsupported_grant_type: 400,
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
} as const;

/** Maximum length of a field, in characters. */
const maxLength = 4_096;

const short = z.string().min(1).max(maxLength);
/** Optional parameter. An empty value counts as omitted (RFC 6749, 3.1). */
const optional = z
  .string()
  .max(maxLength)
  .transform((given) => given || undefined)
  .optional();

/** Parameter `resource`, which may occur several times (RFC 8707, 2). */
const resource = z
  .union([z.string().max(maxLength), z.array(z.string().max(maxLength)).max(10)])
  .transform((given) => [given].flat().filter(Boolean))
  .optional();

/**
 * Client and redirect URL of a sign-in request. They are checked first, because an error can be redirected only if both
 * are valid.
 */
export const SignInClient = z.object({ client_id: short, redirect_uri: optional });

/** Other parameters of a sign-in request. Unknown parameters are ignored (RFC 6749, 3.1). */
export const SignInRequest = z.object({
  response_type: optional,
  code_challenge: optional,
  code_challenge_method: optional,
  scope: optional,
  state: optional,
  resource,
});

export const TokenRequest = z.object({
  grant_type: short,
  client_id: optional,
  code: optional,
  code_verifier: optional,
  redirect_uri: optional,
  refresh_token: optional,
  resource,
});

export type TokenRequest = z.output<typeof TokenRequest>;

export const RevocationRequest = z.object({ token: short, client_id: optional });

/** Registration of a client. Unknown members are ignored (RFC 7591, 2). */
export const Registration = z.object({
  redirect_uris: z.array(z.string()).min(1).max(100),
  client_name: z.string().max(10_000).optional(),
});
