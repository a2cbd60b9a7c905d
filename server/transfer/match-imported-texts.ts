import { sql } from 'kysely';
import type { ForeignSite } from '../../shared/importers/index.ts';
import { asHtmlInMarkdown, rewriteReferences } from '../../shared/importers/read-records.ts';
import { getArchiveTable } from './archive/archive-tables.ts';
import type { ImportTarget } from './import-target.ts';

/** Title and beginning of a text, without link targets, for comparing two texts. */
export interface Beginning {
  title: string;
  /** Only letters and digits, because links, tags and spaces change when a text is stored. */
  letters: string;
  isWhole: boolean;
}

/**
 * Compared characters of a body; letters at its end that a cut link may affect; number of letters below which titles
 * must be equal, too.
 */
const max = { characters: 2_000, cut: 300, short: 30 } as const;

/** Returns the beginning of a text of a source, in the form in which `isSameText` compares texts. */
export function beginningOf(site: ForeignSite, title: unknown, content: unknown): Beginning {
  const body = String(content ?? '');
  const part = body.slice(0, max.characters);
  const stored = site.form === 'html' ? asHtmlInMarkdown(site.cleaned?.(part) ?? part) : part;
  return beginning(String(title ?? ''), stored, body.length <= max.characters);
}

function beginning(title: string, body: string, isWhole: boolean): Beginning {
  const target = '/media/';
  const text = rewriteReferences(body, 'markdown', () => target)
    .replaceAll(`(${target})`, '')
    // Earlier versions left out the IDs that headings declare.
    .replace(/[ \t]\{#[^\s{}"<>&]{1,200}\}(?=[ \t#]*$)/gm, '')
    .replace(/<[^<>]*(?:>|$)/g, '');
  const letters = text.normalize('NFC').replace(/[^\p{L}\p{N}]+/gu, '');
  return { title: title.normalize('NFC').trim(), letters, isWhole };
}

/** True if two beginnings belong to the same text. Its title may have changed since. */
export function isSameText(a: Beginning, b: Beginning): boolean {
  const isShort = Math.min(a.letters.length, b.letters.length) < max.short;
  if (isShort && a.title !== b.title) return false;
  if (a.isWhole && b.isWhole) return a.letters === b.letters;
  const compared = Math.min(a.letters.length, b.letters.length) - max.cut;
  return compared > 0 && a.letters.slice(0, compared) === b.letters.slice(0, compared);
}

/**
 * Finds the beginnings of imported records as they were imported, by ID. Deleted records, and records whose history no
 * longer includes the first text, are missing.
 */
export async function findImportedTexts(
  { siteId, deps }: ImportTarget,
  collection: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Beginning>> {
  const { table } = getArchiveTable(collection);
  // The first revision that changed a field contains its original value.
  const first = (name: string) => sql<string>`coalesce((
    select h.previous ->> ${name}::text from record_revisions h
    where h.site_id = r.site_id and h.collection = ${collection} and h.record_id = r.id and h.previous ? ${name}::text
    order by h.revision limit 1), r.fields ->> ${name}::text, '')`;
  const { rows } = await sql<{ id: string; title: string; content: string; length: number }>`
    select r.id, ${first('title')} as title, left(${first('content')}, ${max.characters}::integer) as content,
      length(${first('content')}) as length
    from (
      select site_id, id, revision, jsonb_build_object('title', title, 'content', content) as fields
      from ${sql.table(table)} where site_id = ${siteId} and id = any(${[...ids]}::text[])
      union all
      select site_id, id, (record ->> 'revision')::integer, record
      from trash where site_id = ${siteId} and collection = ${collection} and id = any(${[...ids]}::text[])
    ) r
    where r.revision = 1 or exists (
      select from record_revisions h
      where h.site_id = r.site_id and h.collection = ${collection} and h.record_id = r.id and h.revision = 1)`.execute(
    deps.database.em.getKysely(),
  );
  return new Map(
    rows.map(({ id, title, content, length }) => [id, beginning(title, content, length <= max.characters)]),
  );
}
