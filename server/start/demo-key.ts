import { rm } from 'node:fs/promises';
import { createKeyFinder } from '../access/api-key.ts';
import type { World } from '../deps.ts';
import { keepSecret, readSecret } from './kept-secret.ts';

/**
 * The demo key, which a file keeps so that every start can show it: the one just `made`, else the one in the file; null
 * when that does not work any more, or belongs to another database.
 */
export async function keepDemoKey(world: World, file: string, made: string | null): Promise<string | null> {
  if (made) {
    await rm(file, { force: true });
    return keepSecret(file, made);
  }
  const kept = await readSecret(file);
  const known = await createKeyFinder(world)({ secret: kept ?? '', host: '', collection: '' });
  return known?.active ? kept : null;
}
