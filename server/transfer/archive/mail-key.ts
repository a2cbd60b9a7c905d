import { sql } from 'kysely';
import { findMailKey, keepMailKey, suppressionHash } from '../../../shared/newsletter/mail-key.ts';
import { SealedSecretError } from '../../../shared/runtime/secret-box.ts';
import type { ImportDeps, ImportTarget } from '../import-target.ts';
import { withoutImported, withoutMissing } from '../skip-rows.ts';
import type { BatchOptions } from '../store-batch.ts';
import type { ArchiveManifest } from './manifest.ts';

/**
 * Returns the mail key of a site, decrypted, for its archive. Null if the site has none, or if `SECRET_KEY` cannot decrypt
 * it.
 */
export const readMailKey = (deps: Pick<ImportDeps, 'database' | 'secrets'>, siteId: string) =>
  findMailKey(deps, siteId).catch((error: unknown) => {
    if (error instanceof SealedSecretError) return null;
    throw error;
  });

/**
 * Gives the site the archive's mail key if it has none; a dry run changes nothing. Returns options for importing suppressions.
 * Refuses all of them if the archive has no key. If the site has another key, only an archive of the same site is converted:
 * hashes of active and pending subscribers. Other suppressions are refused.
 */
export async function bringMailKey(
  { deps, siteId, dryRun }: ImportTarget,
  { mail_key: archived, site }: ArchiveManifest,
): Promise<BatchOptions> {
  if (archived === null)
    return {
      whatLacks: () =>
        'Not imported: the archive has no mail key, which is needed to recognize the blocked address',
    };
  if (!dryRun) await keepMailKey(deps, siteId, archived);
  const own = await findMailKey(deps, siteId);
  if (own === null || own === archived) return {};
  return {
    async prepare(into, pending) {
      const hashes = new Set(pending.map(({ row }) => String(row.email_hash)));
      const meant = new Map<unknown, string>();
      if (site.id === siteId && hashes.size > 0)
        for await (const email of readersOf(into.target)) {
          const hash = suppressionHash(archived, email);
          if (hashes.has(hash)) meant.set(hash, suppressionHash(own, email));
        }
      const known = withoutMissing(into, [...pending], ({ email_hash }) =>
        meant.has(email_hash)
          ? null
          : 'Not imported: the blocked address is a hash with the mail key of another site and cannot be recognized here',
      );
      return withoutImported(
        into,
        known.map((one) => ({ ...one, row: { ...one.row, email_hash: meant.get(one.row.email_hash) } })),
      );
    },
  };
}

/** Yields active and pending subscribers' addresses. Each query of 1,000 lets other work of the process run. */
async function* readersOf({ deps, siteId }: ImportTarget): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const { rows } = await sql<{ id: string; email: string }>`
      select id, email from subscribers
      where site_id = ${siteId} and status in ('active', 'pending') and id > ${after} order by id limit 1000`.execute(
      deps.database.em.getKysely(),
    );
    const last = rows.at(-1);
    if (!last) return;
    for (const { email } of rows) yield email;
    after = last.id;
  }
}
