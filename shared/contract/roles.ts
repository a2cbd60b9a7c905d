import { z } from 'zod';
import { documented } from './documented.ts';
import { keysOf } from './names-of.ts';

/**
 * Right in an area: `read`, `write` (which includes reading), or `own`. With `own` people change only unpublished
 * records that they created. Null means no access.
 */
type Right = 'read' | 'own' | 'write' | null;

/**
 * Rights of each role, by area. A procedure names its area in its meta. Without one it belongs to `site`, which only
 * owners can use. For `own`, the code that stores a record checks its creator again.
 */
export const areas = {
  /** Records, CV, pages, profile, history, trash and previews. */
  content: { owner: 'write', editor: 'write', author: 'own', support: 'read' },
  /** Publishing, changes to public records and their deletion, and redirects. */
  publish: { owner: 'write', editor: 'write', author: null, support: null },
  media: { owner: 'write', editor: 'write', author: 'own', support: null },
  /** Mailings and their recipients. */
  newsletter: { owner: 'write', editor: 'write', author: null, support: 'read' },
  /** Members, subscribers (writing), purchases, enrollments and testimonials. */
  audience: { owner: 'write', editor: 'read', author: null, support: 'write' },
  analytics: { owner: 'read', editor: 'read', author: 'read', support: 'read' },
  /** Person's own account, independent of the site. */
  account: { owner: 'own', editor: 'own', author: 'own', support: 'own' },
  /** Administration of the site: settings, integrations, people and transfers. */
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

/**
 * Returns the right of a role in an area; null if it has none. Null also for an unknown role, which a newer version may
 * have stored.
 */
export const rightOf = (role: Role, area: Area): Right => areas[area][role] ?? null;

/**
 * True if a role may read in an area, or also change things there if `writes` is true. Rights of the kind
 * `own` count as writing.
 */
export const opens = (role: Role, area: Area, writes: boolean): boolean => {
  const right = rightOf(role, area);
  return right !== null && !(writes && right === 'read');
};
