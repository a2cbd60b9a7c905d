import slugify from '@sindresorhus/slugify';
import { slugPattern } from '../contract/fields.ts';

/** Maximum length of a generated slug. It leaves room for a suffix such as `-2` within the maximum length of a slug. */
const maxBase = 180;

/** Returns a slug for `title`, or `fallback` if the title contains nothing that can be written in `a-z 0-9`. */
export function slugFrom(title: string, fallback: string): string {
  const written = slugify(title.normalize('NFKC'), { decamelize: false });
  const slug = slugBase(written);
  return slugPattern.test(slug) ? slug : fallback;
}

/**
 * Shortens a slug to at most `maxBase` characters, after a whole word if possible, so that a number can follow. A shorter
 * one is returned unchanged.
 */
export const slugBase = (slug: string) =>
  slug.length <= maxBase
    ? slug
    : slug
        .slice(0, maxBase + 1)
        .replace(/-[^-]*$/, '')
        .slice(0, maxBase);
