import { canonicalPath, isServed } from '../../../shared/contract/features/redirects.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import type { StoreDeps } from '../../kernel/deps.ts';
import type { Row } from './insert-rows.ts';

interface OldAddresses {
  collection: string;
  record_id: string;
  /** As the old site had them. */
  paths: readonly string[];
}

/**
 * Rows of `redirects` that lead from old addresses to records, for `insertRows` with what is carried as `redirects`: wherever
 * a record is, and only while visitors see it, so that a draft's begin when it is published. Paths that can't lead on,
 * because they are none or the site's own, are left out; one that leads somewhere already stays as it is.
 */
export function redirectRows(
  { clock, randomBytes }: Pick<StoreDeps, 'clock' | 'randomBytes'>,
  { collection, record_id, paths }: OldAddresses,
): Row[] {
  const now = clock.now();
  const plain = paths.filter((path) => !/[?#]/.test(path)).map(canonicalPath);
  const from = new Set(plain.filter((path) => path !== null && !isServed(path)));
  return [...from].map((path) => ({
    id: newRecordId(now, randomBytes),
    from: path,
    to: '',
    permanent: true,
    collection,
    record_id,
    created: now.toISOString(),
    updated: now.toISOString(),
  }));
}
