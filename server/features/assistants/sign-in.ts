import type { Infrastructure } from '../../kernel/deps.ts';
import type { SignIn } from '../../kernel/sign-in.ts';
import { authorize } from './authorize.ts';
import { createClientDocuments } from './client-documents.ts';
import { registerClient } from './clients.ts';
import { exchange } from './exchange.ts';
import { revoke } from './tokens.ts';

/** Signing in of assistants: what one process remembers of it are the documents of clients. */
export function createSignIn(infrastructure: Infrastructure): SignIn {
  const deps = { ...infrastructure, findDocument: createClientDocuments(infrastructure) };
  return {
    authorize: (place, query) => authorize(deps, place, query),
    register: ({ siteId }, metadata) => registerClient(deps, siteId, metadata),
    token: (place, form, countOf) => exchange(deps, { place, form, countOf }),
    revoke: (_place, form) => revoke(deps, form),
  };
}
