import { withoutEntities } from '../../shared/content/sanitized-html.ts';
import { decodedPath } from '../../shared/contract/site-paths.ts';
import type { ForeignRecord, ForeignSite, Reference } from '../../shared/importers/index.ts';
import { asHtmlInMarkdown, notesOfControls, rewriteReferences } from '../../shared/importers/read-records.ts';
import { safeHtml, withAnchors } from '../../shared/markdown/index.ts';
import type { TakenFile, TakenFiles } from './import-images.ts';
import { keyOf, type Plan, type PlannedRecord } from './import-plan.ts';

export type PlacingPlan = Omit<Plan, 'wanted' | 'questions'>;

/** Maximum number of missing targets that a note names. */
const maxNamed = 3;

interface PlacementContext {
  site: ForeignSite;
  plan: PlacingPlan;
  files: TakenFiles;
  /** IDs of headings by the fragments with which the old site links to them. */
  parts: Map<PlannedRecord, ReadonlyMap<string, string>>;
}

/**
 * Returns a record with its planned slug, and with its body rewritten to the new URLs of files and records. Missing targets
 * are noted. A record without a plan or body is returned unchanged.
 */
export function placeRecord(record: ForeignRecord, context: PlacementContext): ForeignRecord {
  const planned = context.plan.records.get(keyOf(record));
  const content = record.values?.content;
  if (planned?.slug === undefined || typeof content !== 'string') return record;
  const body = placedBody(record, content, context);
  const notes = [...(record.notes ?? []), ...planned.notes, ...body.notes];
  const cover = coverOf(record, context);
  if (record.cover && !cover) {
    const { alt, caption } = record.coverText ?? {};
    const said = [record.cover.slice(0, 200), alt, caption].filter(Boolean).join('; ');
    notes.push(`Cover image not imported: ${said}`);
  }
  if (context.site.form === 'html') notes.push(...notesOfControls(body.cleaned));
  const values = { ...record.values, slug: planned.slug, content: body.content };
  return { ...record, notes, values: { ...values, cover: cover?.id ?? '' } };
}

/** Stores the IDs of those headings of a record that other records link to, by fragment, in `context.parts`. */
export function findParts(record: ForeignRecord, context: PlacementContext): void {
  const planned = context.plan.records.get(keyOf(record));
  const content = record.values?.content;
  if (!planned?.fragments || typeof content !== 'string') return;
  const { partOf } = anchorsIn(placedBody(record, content, context).content);
  const found = [...planned.fragments].flatMap((fragment) => {
    const id = partOf(fragment);
    return id === null ? [] : [[fragment, id] as const];
  });
  context.parts.set(planned, new Map(found));
}

/** Rewrites a body for storage. Returns it with notes on links and images without a target. */
function placedBody(record: ForeignRecord, content: string, context: PlacementContext) {
  const { site, files } = context;
  const lost = new Set<string>();
  const images = new Set<string>();
  const lostParts = new Set<string>();
  const body = rewriteReferences(content, site.form, (reference) => {
    const { target, isByName } = reference;
    const fragment = fragmentIn(reference, site);
    if (isByName && target === '') return null;
    const positions = site.placesOf(reference, record);
    const found = whereOf(context, positions);
    if (!found) {
      if (positions.some((position) => site.pictureAt?.(position) && !files.has(position)))
        images.add(target);
      else if (positions.length > 0) lost.add(target);
      return null;
    }
    if (fragment === '' || !('record' in found)) return found.url;
    const id = context.parts.get(found.record)?.get(fragment);
    if (id === undefined && !isTop(fragment)) lostParts.add(isByName ? `${target}#${fragment}` : target);
    return `${found.url}#${encodeURIComponent(id ?? fragment)}`;
  });
  const cleaned = site.cleaned?.(body) ?? body;
  const finished = site.form === 'html' ? asHtmlInMarkdown(cleaned) : cleaned;
  const placed = withOwnParts(finished, site.form, lostParts);
  const notes: string[] = [];
  if (images.size > 0) notes.push(`Images still loaded from the old site: ${named(images)}`);
  if (lost.size > 0) notes.push(`Links to content that was not imported: ${named(lost)}`);
  if (lostParts.size > 0) notes.push(`Links to headings that do not exist: ${named(lostParts)}`);
  return { content: placed, cleaned, notes };
}

/** Returns the decoded fragment of a reference as its site writes it; empty if it has none. */
export const fragmentIn = ({ target, fragment }: Reference, site: ForeignSite): string =>
  fragment || decodedPath(site.fragmentOf?.(target) ?? '');

/** Rewrites links from a body to its own headings. Fragments without a heading are added to `lost`. */
function withOwnParts(body: string, form: ForeignSite['form'], lost: Set<string>): string {
  let anchors: ReturnType<typeof anchorsIn> | undefined;
  return rewriteReferences(body, form, ({ target, isByName, fragment }) => {
    if (!(isByName ? target === '' : target.startsWith('#')) || isTop(fragment)) return null;
    anchors ??= anchorsIn(body);
    // The renderer resolves this fragment itself, even if its heading is numbered differently later.
    if (!isByName && anchors.isResolved(target.slice(1))) return null;
    const id = anchors.partOf(fragment);
    if (id !== null) return `#${encodeURIComponent(id)}`;
    lost.add(`#${fragment}`);
    return null;
  });
}

/** Fragments with which browsers show a page from its top, or scroll to words of its text. */
const isTop = (fragment: string) => /^(?:top)?$|^:~:/i.test(fragment);

/** Finds headings of a body by the fragments that other systems use for them. */
function anchorsIn(body: string) {
  const { html, idOf } = withAnchors(safeHtml(body) ?? '');
  const ids: string[] = [];
  const byLetters = new Map<string, number[]>();
  const byLettersOnly = new Map<string, number[]>();
  for (const [, id = '', inner = ''] of html.matchAll(/<h[2-6] id="([^"]*)"[^>]*>(.*?)<\/h[2-6]>/gs)) {
    const letters = lettersOf(withoutEntities(inner.replace(/<[^>]*>/g, '')));
    addTo(byLetters, letters, ids.length);
    addTo(byLettersOnly, letters.replace(/^\p{N}+/u, ''), ids.length);
    ids.push(withoutEntities(id));
  }
  const partOf = (fragment: string): string | null => {
    const id = idOf(encodeURIComponent(fragment));
    if (id !== null) return withoutEntities(id);
    return fragment.startsWith('^') ? null : headingOf(fragment);
  };
  // Systems write punctuation, accents and leading numbers differently. Obsidian also names the parent headings.
  const headingOf = (fragment: string): string | null => {
    let at = -1;
    for (const name of fragment.split('#').filter(Boolean)) {
      const letters = lettersOf(name);
      const isBelow = (index: number) => index > at;
      const found = byLetters.get(letters)?.find(isBelow) ?? byLettersOnly.get(letters)?.find(isBelow);
      if (letters === '' || found === undefined) return null;
      at = found;
    }
    return ids[at] ?? null;
  };
  return { partOf, isResolved: (fragment: string) => idOf(fragment) !== null };
}

function addTo(indexes: Map<string, number[]>, letters: string, index: number) {
  const known = indexes.get(letters);
  if (known) known.push(index);
  else indexes.set(letters, [index]);
}

const lettersOf = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

/** Finds the first of several locations that is an imported file or record; null if none is. */
function whereOf(
  { plan, files }: PlacementContext,
  positions: readonly string[],
): TakenFile | { record: PlannedRecord; url: string } | null {
  for (const position of positions) {
    const file = files.get(position);
    if (file) return file;
    const record = plan.places.get(position);
    if (record?.address) return { record, url: record.address };
  }
  return null;
}

function coverOf(record: ForeignRecord, context: PlacementContext): TakenFile | null {
  if (!record.cover) return null;
  const found = whereOf(context, context.site.placesOf({ target: record.cover, isByName: false }, record));
  return !found || 'record' in found || !found.type.startsWith('image/') ? null : found;
}

const named = (things: ReadonlySet<string>) => {
  const first = [...things].slice(0, maxNamed).map((thing) => thing.slice(0, 200));
  return `${first.join(', ')}${things.size > maxNamed ? ` and ${things.size - maxNamed} more` : ''}`;
};
