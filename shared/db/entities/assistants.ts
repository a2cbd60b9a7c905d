import { p } from '@mikro-orm/core';
import type { McpScope } from '../../contract/scopes.ts';
import { moment, sitePrimaryKey, table, textArray } from '../columns.ts';
import { ApiKey } from './api-key.ts';

/** A client that registered. One that says who it is by a document has no row. */
export const OauthClient = table('oauth_clients', {
  ...sitePrimaryKey,
  name: p.text(),
  redirect_uris: textArray(),
  /** Whether somebody ever allowed it something. */
  is_used: p.boolean(),
  created: moment(),
});

/** What an assistant asks for, and once somebody has allowed it, what it may. */
export const OauthGrant = table('oauth_grants', {
  /** Empty while it asks at an address that is no single site's. */
  ...sitePrimaryKey,
  client_id: p.text(),
  client_name: p.text(),
  /** Host that vouches for the name. */
  client_host: p.text().nullable(),
  redirect_uri: p.text(),
  /** What the client wants back with the answer. */
  state: p.text().nullable(),
  code_challenge: p.text(),
  /** Origin that it was asked at: what it is given is good there alone. */
  issuer: p.text(),
  asked: textArray().$type<McpScope[]>(),
  scopes: textArray().$type<McpScope[]>(),
  /** Who allowed it; null while nobody has. */
  person_id: p.text().nullable(),
  created: moment(),
  last_used_at: moment().nullable(),
  /** When whoever allowed it wants it to end. */
  ends_at: moment().nullable(),
  /** Until when it is of any use: while it waits for an answer, or as long as the last of its tokens. */
  expires_at: moment(),
});

export type OauthTokenKind = 'code' | 'access' | 'refresh';

/** A code or token of a grant; only its SHA-256 is kept. */
export const OauthToken = table('oauth_tokens', {
  site_id: p.text().primary(),
  token_hash: p.text().primary().unique('oauth_tokens_token_hash_key'),
  grant_id: p.text(),
  kind: p.text().$type<OauthTokenKind>(),
  /** When a code was used, or another refresh token took the place of this one. */
  replaced_at: moment().nullable(),
  /** The refresh token that took its place, as long as it is given again. */
  successor_sealed: p.text().nullable(),
  expires_at: moment(),
});

/** What programs come with. */
export const credentialEntities = [ApiKey, OauthClient, OauthGrant, OauthToken];
