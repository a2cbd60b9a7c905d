import slugify from '@sindresorhus/slugify';
import { slugPattern } from '../../../shared/contract/fields.ts';

/** Longest slug made from a title: leaves room for `-2`, `-3` … within 200 characters. */
const longestBase = 180;

/** A slug for `title`; `fallback` when nothing of the title can be written in `a-z 0-9`. */
export function slugFrom(title: string, fallback: string): string {
  const written = slugify(title.normalize('NFKC'), { decamelize: false });
  const slug = written.slice(0, longestBase).replace(/-+$/, '');
  return slugPattern.test(slug) ? slug : fallback;
}
