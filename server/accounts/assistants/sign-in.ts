import type { z } from 'zod';
import type { Issuer, Registration, RevocationRequest } from '../../../shared/contract/features/oauth.ts';
import type { Deps, Infrastructure } from '../../api/deps.ts';
import { findIssuer } from './addresses.ts';
import { authorize } from './authorize.ts';
import { createClientDocuments } from './client-documents.ts';
import { registerClient } from './clients.ts';
import { type Exchange, exchange, revoke } from './tokens.ts';

declare module '../../api/deps.ts' {
  interface Deps {
    /** Sign-in of assistants. All functions except `authorize` throw an `OauthError`. */
    signIn: ReturnType<typeof createSignIn>;
  }
}

/** Creates the sign-in of assistants. Its in-memory state is the cache of client documents. */
export function createSignIn(infrastructure: Infrastructure & Pick<Deps, 'findVisitedSite'>) {
  const deps = { ...infrastructure, findDocument: createClientDocuments(infrastructure) };
  return {
    issuerAt: (address: { host: string; authority: string }) => findIssuer(deps, address),
    authorize: (issuer: Issuer, query: object) => authorize(deps, issuer, query),
    register: ({ siteId }: Issuer, metadata: z.output<typeof Registration>) =>
      registerClient(deps, siteId, metadata),
    token: (request: Exchange) => exchange(deps, request),
    revoke: (issuer: Issuer, form: z.output<typeof RevocationRequest>) => revoke(deps, issuer, form),
  };
}
