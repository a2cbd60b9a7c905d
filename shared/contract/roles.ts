import { z } from 'zod';
import { documented } from './documented.ts';
import { keysOf } from './names-of.ts';

/** What somebody may do in an area: read, also change, or change only what they made themselves and nobody sees yet. */
type Right = 'read' | 'own' | 'write' | null;

/**
 * What each role may do, area by area. A procedure names its area in its meta; one that names none is of `site`, which only
 * owners enter. What is written in an area of which somebody has `own` is looked at again where it is stored.
 */
export const areas = {
  /** Records, CV, pages, profile, history, trash and previews. */
  content: { owner: 'write', editor: 'write', author: 'own', support: 'read' },
  /** To publish, and to change or delete what is public; redirects. */
  publish: { owner: 'write', editor: 'write', author: null, support: null },
  media: { owner: 'write', editor: 'write', author: 'own', support: null },
  /** Mailings, and who gets them. */
  newsletter: { owner: 'write', editor: 'write', author: null, support: 'read' },
  /** Members, subscribers to write, purchases, enrolments and testimonials. */
  audience: { owner: 'write', editor: 'read', author: null, support: 'write' },
  analytics: { owner: 'read', editor: 'read', author: 'read', support: 'read' },
  /** What is somebody's own, whatever they work on. */
  account: { owner: 'own', editor: 'own', author: 'own', support: 'own' },
  /** How the site is run: settings, integrations, people, moving. */
  site: { owner: 'write', editor: null, author: null, support: null },
} as const satisfies Record<string, Record<Role, Right>>;

export type Area = keyof typeof areas;

export const roleTexts = {
  owner: 'has full access',
  editor: 'writes and publishes all content and sends newsletters',
  author: 'writes drafts that an owner or editor publishes',
  support: 'manages members, subscribers, purchases and testimonials',
} as const;

export type Role = keyof typeof roleTexts;

export const roleNames = keysOf(roleTexts);

export const Role = documented(
  z.enum(roleNames),
  `Role on the site: ${roleNames.map((role) => `\`${role}\` ${roleTexts[role]}`).join('; ')}`,
  'editor',
);

/** What a role may do in an area; null for one that is unknown here, as a later version may have written it. */
export const rightOf = (role: Role, area: Area): Right => areas[area][role] ?? null;

/** Whether a role may read in an area, or change what is there. */
export const opens = (role: Role, area: Area, writes: boolean): boolean => {
  const right = rightOf(role, area);
  return right !== null && !(writes && right === 'read');
};
