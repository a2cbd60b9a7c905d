import type { Resource } from '../../../shared/contract/resource.ts';
import { pageOf } from '../../../shared/contract/site-paths.ts';
import type { Values } from '../data/records.ts';
import { isDraft } from '../data/shape.ts';

/** Where visitors find a record; null while they don't. A custom page that is in no list is found by its address. */
export function addressOf({ name }: Resource, saved: Values): string | null {
  const isFound = saved.visibility === 'public' || (name === 'page' && saved.visibility === 'unlisted');
  return isFound && !isDraft(saved) ? pageOf(name, String(saved.slug)) : null;
}
