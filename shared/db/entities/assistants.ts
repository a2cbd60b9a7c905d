import { p } from '@mikro-orm/core';
import type { McpScope } from '../../contract/scopes.ts';
import { sitePrimaryKey, table, textArray, timestampColumn } from '../columns.ts';
import { ApiKey } from './api-key.ts';

/** Registered OAuth client. A client that is identified by a metadata document has no row. */
export const OauthClient = table('oauth_clients', {
  ...sitePrimaryKey,
  name: p.text(),
  redirect_uris: textArray(),
  /** True if a person ever granted access to the client. */
  is_used: p.boolean(),
  created: timestampColumn(),
});

/** Access that an assistant requests; after a person allows it, the access it has. */
export const OauthGrant = table('oauth_grants', {
  /** `site_id` is empty while the request came to an address that several sites share. */
  ...sitePrimaryKey,
  client_id: p.text(),
  client_name: p.text(),
  /** Host that serves the client's metadata document and so proves its name. */
  client_host: p.text().nullable(),
  redirect_uri: p.text(),
  /** Value that the client sent, and receives back with the answer. */
  state: p.text().nullable(),
  code_challenge: p.text(),
  /** Origin at which access was requested. Tokens of the grant are valid there only. */
  issuer: p.text(),
  asked: textArray().$type<McpScope[]>(),
  scopes: textArray().$type<McpScope[]>(),
  /** ID of the person who allowed access; null until then. */
  person_id: p.text().nullable(),
  created: timestampColumn(),
  last_used_at: timestampColumn().nullable(),
  /** End of the grant that the person chose; null if none. */
  ends_at: timestampColumn().nullable(),
  /** Time after which the grant can be deleted: the end of the pending request, or the expiry of its last token. */
  expires_at: timestampColumn(),
});

export type OauthTokenKind = 'code' | 'access' | 'refresh';

/** Code or token of a grant. Only its SHA-256 hash is stored. */
export const OauthToken = table('oauth_tokens', {
  site_id: p.text().primary(),
  token_hash: p.text().primary().unique('oauth_tokens_token_hash_key'),
  grant_id: p.text(),
  kind: p.text().$type<OauthTokenKind>(),
  /** Time at which a code was used, or a newer refresh token replaced this one; null until then. */
  replaced_at: timestampColumn().nullable(),
  /** Refresh token that replaced this one, encrypted, for clients that send the old one again. */
  successor_sealed: p.text().nullable(),
  expires_at: timestampColumn(),
});

/** Tables of credentials that programs use. */
export const credentialEntities = [ApiKey, OauthClient, OauthGrant, OauthToken];
