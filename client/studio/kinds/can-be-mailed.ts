import type { Resource } from '../../../shared/contract/resource.ts';
import type { Values } from '../data/records.ts';
import { isDraft, scheduledFor } from '../data/shape.ts';

/** Whether a record can go out as a newsletter: a post that readers can see, or will. */
export const canBeMailed = (
  { collection }: Pick<Resource, 'collection'>,
  saved: Values | undefined,
): boolean =>
  collection === 'posts' &&
  saved?.visibility === 'public' &&
  (!isDraft(saved) || scheduledFor(saved) !== null);
