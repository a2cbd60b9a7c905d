import slugify from '@sindresorhus/slugify';
import { slugPattern } from '../contract/fields.ts';

/** Maximum length of a slug that is made here: it leaves room for `-2`, `-3` … within the longest slug. */
const maxBase = 180;

/** Returns a slug for `title`, or `fallback` if no part of the title can be written in `a-z 0-9`. */
export function slugFrom(title: string, fallback: string): string {
  const written = slugify(title.normalize('NFKC'), { decamelize: false });
  const slug = slugBase(written);
  return slugPattern.test(slug) ? slug : fallback;
}

/** Shortens a slug so that a number fits behind it. It ends with a whole word. */
export const slugBase = (slug: string) =>
  slug.length <= maxBase
    ? slug
    : slug
        .slice(0, maxBase + 1)
        .replace(/-[^-]*$/, '')
        .slice(0, maxBase);
