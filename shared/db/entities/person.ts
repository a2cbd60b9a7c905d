import { defineEntity, p } from '@mikro-orm/core';
import { bookkeeping, moment } from '../columns.ts';
import { OwnerSessionEntity, PasswordReset } from './owner-session.ts';

/** Who signs in to the studio: one account for all the sites that they work on. */
export const Person = defineEntity({
  name: 'people',
  tableName: 'people',
  properties: {
    id: p.text().primary(),
    email: p.text().unique('people_email_key'),
    name: p.text(),
    password_hash: p.text(),
    ...bookkeeping,
  },
});

/** That somebody works on a site, and as what. */
export const SitePerson = defineEntity({
  name: 'site_people',
  tableName: 'site_people',
  properties: {
    site_id: p.text().primary(),
    person_id: p.text().primary(),
    role: p.text().$type<'owner'>(),
    created: moment(),
  },
});

export const peopleEntities = [Person, SitePerson, OwnerSessionEntity, PasswordReset];
