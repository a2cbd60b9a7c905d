import path from 'node:path';
import { importFile } from '../../server/transfer/import-file.ts';
import type { ImportOptions } from '../../server/transfer/import-target.ts';
import type { ImportedRecordReport } from '../../shared/contract/features/import-export.ts';
import type { TestApp } from './app.ts';

/** Path of a sample of another system's export. */
export const sample = (name: string) => path.join(import.meta.dirname, '../samples', name);

/** Imports a file into the first site as an operator. Returns counts, and the report of each record. */
export async function importInto(app: TestApp, file: string, options: ImportOptions = {}) {
  const report: ImportedRecordReport[] = [];
  const siteId = await app.seed.ownSite();
  const { counts } = await importFile(app.deps, file, {
    siteId,
    actor: { kind: 'operator', id: 'ada', name: 'ada' },
    ...options,
    onRecord: (one) => report.push(one),
  });
  return { report, counts };
}

/** Returns source, outcome and reason of each reported record. */
export const told = (report: readonly ImportedRecordReport[]) =>
  report.map(({ collection, source_id, outcome, reason }) => [`${collection} ${source_id}`, outcome, reason]);

export const rows = (app: TestApp, query: string) => app.deps.database.em.execute(query);
