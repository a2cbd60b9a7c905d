import type { z } from 'zod';
import type { Registration, RevocationRequest, TokenRequest } from '../../shared/contract/features/oauth.ts';

/** Where assistants sign in: what is given at one address is good there alone. */
export interface SignInPlace {
  /** The origin that was asked. */
  issuer: string;
  /** The site that it is of; empty where it may be any of several. */
  siteId: string;
}

/** What an assistant calls at an address. */
export const resourceAt = ({ issuer }: Pick<SignInPlace, 'issuer'>) => `${issuer}/mcp`;

/** Signing in of assistants, as a surface carries it. All but `authorize` throw an `OauthError`. */
export interface SignIn {
  /**
   * Where the browser goes on to: to be asked, or back with an error. Throws `invalid_request` where the client is not known,
   * or the address is none of its own: nobody is sent to such a one.
   */
  authorize(place: SignInPlace, query: object): Promise<string>;
  register(place: SignInPlace, metadata: z.output<typeof Registration>): Promise<object>;
  /** `countOf` is called with what was connected, once a code or token of it is there: what strangers send must not hold it up. */
  token(place: SignInPlace, form: TokenRequest, countOf: (grant: string) => Promise<void>): Promise<object>;
  revoke(place: SignInPlace, form: z.output<typeof RevocationRequest>): Promise<void>;
}
