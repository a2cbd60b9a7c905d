import { importFile } from '../../server/transfer/import-file.ts';
import type { ImportedRecordReport } from '../../shared/contract/features/import-export.ts';
import type { TestApp } from './app.ts';
import { rowsOf } from './archives.ts';

export const actor = { kind: 'operator', id: 'ada', name: 'ada' } as const;

interface Stored {
  title: string;
  is_draft: boolean;
  visibility: string;
  publish_at: Date | null;
}

/** Imports a file and returns the state and the report of each record, by title. */
export async function importInto(app: TestApp, file: string) {
  const siteId = await app.seed.ownSite();
  const reasons = new Map<string, string | null>();
  // The note about the date is removed, because it is unrelated to the state.
  const ofDay = /(?:^|\. )No date found: the post has the date of its file, [\d-]{10}$/;
  const onRecord = ({ title, reason }: ImportedRecordReport) =>
    void reasons.set(title, reason?.replace(ofDay, '') || null);
  await importFile(app.deps, file, { siteId, actor, onRecord });
  const rows = await rowsOf<Stored>(
    app,
    `select title, is_draft, visibility, publish_at from posts where site_id = '${siteId}'
     union all select title, is_draft, visibility, publish_at from pages where site_id = '${siteId}'`,
  );
  const stateOf = ({ is_draft, visibility, publish_at }: Stored) => {
    if (publish_at) return 'scheduled';
    return is_draft ? 'draft' : visibility;
  };
  const told = rows.filter(({ title }) => reasons.has(title));
  return Object.fromEntries(told.map((row) => [row.title, [stateOf(row), reasons.get(row.title)]]));
}

export const yaml = (matter: string) => `---\n${matter}\n---\nText\n`;

export const titled = (title: string, matter = '') => yaml(`title: ${title}${matter && `\n${matter}`}`);
export const draft = (why: string) => ['draft', `Imported as a draft: ${why}`];

/** State of a text that a program of the source may hide. */
export const unrun = (name: string) =>
  draft(`${name} may hide it and was not run, and no other setting states that it is public`);
