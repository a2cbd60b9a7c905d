import { sql } from 'kysely';
import type { ImportCounts } from '../../../shared/contract/features/import-export.ts';
import { isReservedSubdomain } from '../../../shared/contract/features/site.ts';
import { isServiceDomain } from '../../../shared/contract/site-paths.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { joinNotes, type SourceFile } from '../../../shared/importers/index.ts';
import { ApiError } from '../../api/api-error.ts';
import type { CheckedBatch } from '../check-batch.ts';
import { redirectsInOneStep } from '../import-redirects.ts';
import {
  type Destination,
  type ImportDeps,
  type ImportOptions,
  type ImportTarget,
  targetOf,
} from '../import-target.ts';
import { insertRows } from '../site-rows.ts';
import type { PendingRow } from '../skip-rows.ts';
import { type BatchOptions, storeBatch } from '../store-batch.ts';
import type { ArchiveTable } from './archive-columns.ts';
import { archiveTables, profileColumns, siteColumns } from './archive-tables.ts';
import { checkedLines } from './checked-lines.ts';
import {
  createMediaImport,
  findLacking,
  listSoundRows,
  mediaRows,
  mediaRowsName,
  requireRoom,
  withBytes,
} from './import-media.ts';
import { bringMailKey } from './mail-key.ts';
import type { ArchiveManifest } from './manifest.ts';
import { type ArchivedMediaFile, mediaIdOf } from './manifest.ts';
import { readEntries, verifyArchive } from './unpack.ts';

export interface ImportResult {
  siteId: string;
  counts: ImportCounts;
}

/**
 * Imports the archive of a site. The whole file is read and verified before anything changes. Without `siteId` it creates
 * the site under its own ID. With `siteId`, the site keeps its settings and gets only missing records, so that an
 * interrupted import can be repeated. Throws `validation_failed` for a damaged archive, or if the site to create exists;
 * `payload_too_large` or `media_full` if its media exceed the plan; `transfer_busy`; and the reason of `signal`.
 *
 * Records are stored in batches, each in a transaction. A single transaction would block all other writers of the
 * site, and event polling of all sites.
 */
export async function importArchive(
  deps: ImportDeps,
  file: SourceFile,
  { siteId, ...options }: ImportOptions & { siteId?: string | undefined },
): Promise<ImportResult> {
  const signal = options.signal ?? new AbortController().signal;
  const reading = { file, signal, maxBytes: options.maxBytes };
  let rows: readonly ArchivedMediaFile[] = [];
  const manifest = await verifyArchive(reading, async (name, content, manifest) => {
    // Jobs count for the site that the import changes, even if the manifest has another ID.
    const own = { deps, siteId: siteId ?? String(manifest.site.id) };
    if (name === mediaRowsName) rows = await listSoundRows(own, content, manifest);
    else for await (const _ of content);
  });
  const target = targetOf(deps, { siteId: siteId ?? String(manifest.site.id), source: null }, options);
  const lacking = await findLacking(target, rows);
  if (options.withinPlan) await requireRoom(target, lacking);
  if (siteId === undefined) await makeSite(target, manifest);
  else skipSettings(target, manifest);
  const media = createMediaImport(target, lacking);
  const optionsByTable: Record<string, BatchOptions> = {
    redirects: redirectsInOneStep(target),
    suppressions: await bringMailKey(target, manifest),
    purchases: { prepare: giveUpdated },
    enrollments: { prepare: giveSources },
  };
  try {
    for await (const entry of readEntries(reading)) {
      const mediaId = mediaIdOf(entry.name);
      const known = archiveTables.find(({ name }) => `${name}.jsonl` === entry.name);
      if (mediaId) await media.keep(mediaId, entry);
      else if (entry.name === mediaRowsName)
        await importFile(target, mediaRows, entry.content, media, withBytes(manifest));
      else if (known) await importFile(target, known, entry.content, optionsByTable[known.table]);
      else for await (const _ of entry.content);
    }
  } finally {
    await media.removeUnnamed();
  }
  return { siteId: target.siteId, counts: target.counts };
}

/** Imports a file of rows; `check` refuses rows in addition to their contract. */
async function importFile(
  target: ImportTarget,
  file: ArchiveTable,
  content: AsyncIterable<Buffer>,
  batchOptions?: BatchOptions,
  check = (batch: CheckedBatch) => batch,
) {
  const { deps, siteId } = target;
  let done = 0;
  let storing = Promise.resolve();
  try {
    for await (const { count, checked } of checkedLines(deps, { siteId, name: file.name }, content)) {
      await storing;
      target.onProgress(file.name, done);
      done += count;
      storing = storeBatch({ target, table: file }, check(checked), batchOptions);
      // The failure is thrown where the promise is awaited.
      storing.catch(() => {});
    }
  } finally {
    await storing;
  }
  target.onProgress(file.name, done);
}

/** Gives purchases of older archives the time of their last change: that of the purchase, as migration 0042 does. */
async function giveUpdated(_: Destination, pending: readonly PendingRow[]): Promise<PendingRow[]> {
  for (const { row } of pending) row.updated ??= row.created;
  return [...pending];
}

/**
 * Gives enrollments of older archives their source: `purchase` if the site has a purchase of the course by the learner, in any state, so
 * that a refund closes it; otherwise `owner`. Purchases precede enrollments in an archive.
 */
async function giveSources({ target }: Destination, pending: readonly PendingRow[]): Promise<PendingRow[]> {
  const lacking = pending.filter(({ row }) => row.source === null);
  if (lacking.length === 0) return [...pending];
  const buyers = lacking.map(({ row }) => String(row.buyer_email));
  const { rows } = await sql<{ content_id: string; buyer_email: string }>`
    select distinct content_id, buyer_email from purchases
    where site_id = ${target.siteId} and content_type = 'courses' and buyer_email = any(${buyers}::text[])`.execute(
    target.deps.database.em.getKysely(),
  );
  const bought = new Set(rows.map(({ content_id, buyer_email }) => `${content_id} ${buyer_email}`));
  for (const { row } of lacking)
    row.source = bought.has(`${row.course_id} ${row.buyer_email}`) ? 'purchase' : 'owner';
  return [...pending];
}

const siteReport = ({ site }: ArchiveManifest, id: unknown) => ({
  collection: 'site',
  source_id: String(site.id),
  id: String(id),
  title: String(site.name),
});

function skipSettings(target: ImportTarget, manifest: ArchiveManifest) {
  const reason = 'Settings not imported: the site keeps its own settings and profile';
  target.report({ ...siteReport(manifest, target.siteId), outcome: 'skipped', reason });
}

/**
 * Creates the site of an archive with its settings and profile. A subdomain or domain that is taken or reserved is left out.
 */
async function makeSite(target: ImportTarget, manifest: ArchiveManifest) {
  const { id } = manifest.site;
  const { rows } = await sql<{ id: string; subdomain: string | null; custom_domain: string | null }>`
    select id, subdomain, custom_domain from sites
    where id = ${id} or subdomain = ${manifest.site.subdomain} or custom_domain = ${manifest.site.custom_domain}`.execute(
    target.deps.database.em.getKysely(),
  );
  if (rows.some((site) => site.id === id))
    throw new ApiError(
      'validation_failed',
      `the site ${id} already exists: to add only missing records, import with --site ${id}`,
    );
  const site: Record<string, unknown> = { ...manifest.site };
  const taken = (['subdomain', 'custom_domain'] as const).filter(
    (name) => site[name] !== null && rows.some((other) => other[name] === site[name]),
  );
  const reasons = taken.map((name) => `Field ${name} not imported: another site has ${site[name]}`);
  for (const name of taken) site[name] = null;
  if (isReservedSubdomain(site.subdomain)) {
    reasons.push(`Field subdomain not imported: ${site.subdomain} is reserved`);
    site.subdomain = null;
  }
  const { publicUrl } = target.deps;
  if (publicUrl && isServiceDomain(site.custom_domain, publicUrl.hostname)) {
    reasons.push(`Field custom_domain not imported: ${site.custom_domain} belongs to this service`);
    site.custom_domain = null;
  }
  if (!target.dryRun) await target.change((em) => insertSite(em, site, manifest));
  target.report({ ...siteReport(manifest, id), outcome: 'created', reason: joinNotes(reasons) || null });
}

async function insertSite(em: Transaction, site: Record<string, unknown>, { profile }: ArchiveManifest) {
  await sql`
    insert into sites (${sql.join(Object.keys(siteColumns).map((name) => sql.ref(name)))})
    select ${sql.join(Object.keys(siteColumns).map((name) => sql.ref(name)))}
    from json_populate_record(null::sites, ${JSON.stringify(site)}::json)`.execute(em.getKysely());
  await insertRows(
    { em, siteId: String(site.id) },
    { table: 'profiles', columns: profileColumns, key: ['site_id'] },
    [profile],
  );
}
