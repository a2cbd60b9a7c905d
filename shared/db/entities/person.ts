import { p } from '@mikro-orm/core';
import type { Role } from '../../contract/roles.ts';
import { bookkeeping, moment, sitePrimaryKey, table } from '../columns.ts';

/** Somebody who is signed in to the studio of a site; only the SHA-256 of the token is kept. */
export const OwnerSessionEntity = table('owner_sessions', {
  ...sitePrimaryKey,
  owner_id: p.text(),
  token_hash: p.text().unique('owner_sessions_token_hash_key'),
  expires_at: moment(),
  created: moment(),
  last_used_at: moment().nullable(),
  browser: p.text().nullable(),
  address: p.text().nullable(),
  /** When they last gave a second factor in it. */
  proved_at: moment().nullable(),
});

/** The link by which somebody chooses a new password: the latest that was asked for. */
export const PasswordReset = table('password_resets', {
  person_id: p.text().primary(),
  token_hash: p.text().unique('password_resets_token_hash_key'),
  is_used: p.boolean(),
  expires_at: moment(),
});

/** Who signs in to the studio: one account for all the sites that they work on. */
export const Person = table('people', {
  id: p.text().primary(),
  email: p.text().unique('people_email_key'),
  name: p.text(),
  password_hash: p.text(),
  ...bookkeeping,
});

/** That somebody works on a site, and as what. */
export const SitePerson = table('site_people', {
  site_id: p.text().primary(),
  person_id: p.text().primary(),
  role: p.text().$type<Role>(),
  created: moment(),
});

/** That somebody was asked to work on a site, by an address; only the SHA-256 of the link's token is kept. */
export const Invitation = table(
  'invitations',
  {
    ...sitePrimaryKey,
    email: p.text(),
    role: p.text().$type<Role>(),
    /** Null until the link is mailed. */
    token_hash: p.text().unique('invitations_token_hash_key').nullable(),
    is_used: p.boolean(),
    expires_at: moment(),
    created: moment(),
  },
  { name: 'invitations_email_key', properties: ['site_id', 'email'] },
);

export const peopleEntities = [Person, SitePerson, Invitation, OwnerSessionEntity, PasswordReset];
