import { findMailKey, keepMailKey } from '../../../../shared/newsletter/mail-key.ts';
import { SealedSecretError } from '../../../../shared/secret-box.ts';
import type { ImportDeps, ImportTarget } from '../target.ts';

/** The key as an archive has it; null for one that nobody can open any more either. */
export const readMailKey = (deps: Pick<ImportDeps, 'database' | 'secrets'>, siteId: string) =>
  findMailKey(deps, siteId).catch((error: unknown) => {
    if (error instanceof SealedSecretError) return null;
    throw error;
  });

/**
 * Gives the site the key of its archive, if it has none of its own; why the archive's suppressions can't be taken where it has another
 * one, else null.
 */
export async function bringMailKey({ deps, siteId, dryRun }: ImportTarget, archived: string | null) {
  if (archived === null) return 'the archive does not say which key it is a hash under';
  if (!dryRun) await keepMailKey(deps, siteId, archived);
  const own = await findMailKey(deps, siteId);
  return own === null || own === archived
    ? null
    : 'it is a hash under the mail key of another site: this one could not tell whom it means';
}
