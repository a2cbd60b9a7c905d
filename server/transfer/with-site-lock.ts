import { importExport } from '../../shared/contract/features/import-export.ts';
import { ApiError } from '../api/api-error.ts';
import type { StoreDeps } from '../api/deps.ts';

/**
 * Runs `work` while no other process transfers the site, and returns its result. `lost` is aborted if that may
 * change. Throws `transfer_busy` if the site is locked for `importExport.heldMs`.
 */
export async function withSiteLock<T>(
  { database }: Pick<StoreDeps, 'database'>,
  siteId: string,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  await using held = await database.holdSite(siteId, importExport.heldMs);
  if (!held) throw new ApiError('transfer_busy');
  return await work(held.lost);
}
