import { importFile } from '../../server/transfer/import-file.ts';
import type { ImportedRecordReport } from '../../shared/contract/features/import-export.ts';
import type { TestApp } from './app.ts';
import { rowsOf } from './archives.ts';

// Sites of other systems with their paths, for tests of redirects.

const actor = { kind: 'operator', id: 'ada', name: 'ada' } as const;

/** Imports a file and returns the notes about its records. */
export async function importInto(app: TestApp, file: string, siteId: string) {
  const reasons: string[] = [];
  const onRecord = ({ reason }: ImportedRecordReport) => void (reason && reasons.push(reason));
  await importFile(app.deps, file, { siteId, actor, onRecord });
  return reasons;
}

/** Returns the redirects of a site, each with the slug of its target record. */
export async function redirectsOf(app: TestApp, siteId: string) {
  const rows = await rowsOf<{ from: string; slug: string }>(
    app,
    `select "from", r.slug from redirects join (select id, slug from posts union all select id, slug from pages) r on r.id = record_id
     where site_id = '${siteId}' order by "from" collate "C"`,
  );
  return rows.map(({ from, slug }) => `${from} -> ${slug}`);
}

export const text = (matter: string) => `---\n${matter}\n---\nText\n`;

export const item = (fields: Readonly<Record<string, string>>, more = '') =>
  `<item>${Object.entries({ 'wp:status': 'publish', 'wp:post_type': 'post', ...fields })
    .map(([name, value]) => `<${name}><![CDATA[${value}]]></${name}>`)
    .join('')}${more}</item>`;

export const ghost = (data: object) => JSON.stringify({ db: [{ data }] });

export const ghostPost = {
  ...{ id: '66a0c0ffee00000000000001', title: 'Bench', slug: 'bench', html: '<p>.</p>', type: 'post' },
  ...{ status: 'published', visibility: 'public', published_at: '2024-05-03T07:15:00.000Z' },
};
