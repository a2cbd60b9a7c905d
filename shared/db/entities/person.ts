import { p } from '@mikro-orm/core';
import type { Role } from '../../contract/roles.ts';
import { bookkeeping, sitePrimaryKey, table, timestampColumn } from '../columns.ts';

/** Studio session of a person on a site. Only the SHA-256 hash of its token is stored. */
export const OwnerSessionEntity = table('owner_sessions', {
  ...sitePrimaryKey,
  owner_id: p.text(),
  token_hash: p.text().unique('owner_sessions_token_hash_key'),
  expires_at: timestampColumn(),
  created: timestampColumn(),
  last_used_at: timestampColumn().nullable(),
  browser: p.text().nullable(),
  address: p.text().nullable(),
  /** Time of the last proof by a second factor in this session; null if there was none. */
  proved_at: timestampColumn().nullable(),
});

/** Link for choosing a new password, the last one that was requested. */
export const PasswordReset = table('password_resets', {
  person_id: p.text().primary(),
  token_hash: p.text().unique('password_resets_token_hash_key'),
  is_used: p.boolean(),
  expires_at: timestampColumn(),
});

/** Account for the studio, for all the sites that a person works on. */
export const Person = table('people', {
  id: p.text().primary(),
  email: p.text().unique('people_email_key'),
  name: p.text(),
  password_hash: p.text(),
  ...bookkeeping,
});

/** Role of a person on a site. */
export const SitePerson = table('site_people', {
  site_id: p.text().primary(),
  person_id: p.text().primary(),
  role: p.text().$type<Role>(),
  created: timestampColumn(),
});

/** Invitation to work on a site, sent to an address. Only the SHA-256 hash of the link's token is stored. */
export const Invitation = table(
  'invitations',
  {
    ...sitePrimaryKey,
    email: p.text(),
    role: p.text().$type<Role>(),
    /** Hash of the link's token; null until the link is emailed. */
    token_hash: p.text().unique('invitations_token_hash_key').nullable(),
    is_used: p.boolean(),
    expires_at: timestampColumn(),
    created: timestampColumn(),
  },
  { name: 'invitations_email_key', properties: ['site_id', 'email'] },
);

export const peopleEntities = [Person, SitePerson, Invitation, OwnerSessionEntity, PasswordReset];
