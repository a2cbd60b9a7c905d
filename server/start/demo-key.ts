import { rm } from 'node:fs/promises';
import type { Deps } from '../kernel/deps.ts';
import { readSecret, storeSecret } from './secret-file.ts';

/**
 * The demo key, which a file keeps so that every start can show it: the one just `made`, else the one in the file; null
 * when that does not work any more, or belongs to another database.
 */
export async function ensureDemoKey(
  { findKey }: Pick<Deps, 'findKey'>,
  file: string,
  made: string | null,
): Promise<string | null> {
  if (made) {
    await rm(file, { force: true });
    return storeSecret(file, made);
  }
  const kept = await readSecret(file);
  const known = await findKey({ secret: kept ?? '', host: '', collection: null });
  return known?.active ? kept : null;
}
