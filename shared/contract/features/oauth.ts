import { z } from 'zod';

/** Where assistants sign in: what is given at one address is good there alone. */
export interface SignInPlace {
  /** The origin that was asked. */
  issuer: string;
  /** What an assistant calls there. */
  resource: string;
  /** The site that it is of; empty where it may be any of several. */
  siteId: string;
}

/** What OAuth's endpoints fail with, in its own form (RFC 6749, 5.2). */
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

/** Of a field, in characters. */
const longest = 4_096;

const short = z.string().min(1).max(longest);
/** Without a value it counts as left out (RFC 6749, 3.1). */
const optional = z
  .string()
  .max(longest)
  .transform((given) => given || undefined)
  .optional();

/** `resource` may come several times (RFC 8707, 2). */
const resource = z
  .union([z.string().max(longest), z.array(z.string().max(longest)).max(10)])
  .transform((given) => [given].flat().filter(Boolean))
  .optional();

/** What says who asks to sign in, and where the answer goes: looked at before anything else. */
export const SignInClient = z.object({ client_id: short, redirect_uri: optional });

/** The rest of it. Parameters that nobody knows are left alone, as RFC 6749 (3.1) has it. */
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

/** What a client says of itself. Members that nobody knows are left alone (RFC 7591, 2). */
export const Registration = z.object({
  redirect_uris: z.array(z.string()).min(1).max(100),
  client_name: z.string().max(10_000).optional(),
});
