import type { TakenFile, TakenFiles } from './import-pictures.ts';
import { keyOf, type Plan } from './plan.ts';
import type { ForeignRecord, ForeignSite } from './sources/foreign-record.ts';
import { asHtmlInMarkdown, notesOfControls } from './sources/html-body.ts';
import { type Reference, rewriteReferences } from './sources/references.ts';

/** What of a plan says where records are. */
export type PlacingPlan = Omit<Plan, 'wanted' | 'questions'>;

/** Most of what is not here that is named of one record. */
const mostNamed = 3;

/** What is known of where things are. */
interface Here {
  site: ForeignSite;
  plan: PlacingPlan;
  files: TakenFiles;
}

/** A record with its slug, whose body points at where files and other records are here. What it points at besides is told of. */
export function placeRecord(record: ForeignRecord, here: Here): ForeignRecord {
  const { site, plan, files } = here;
  const planned = plan.records.get(keyOf(record));
  const content = record.values?.content;
  if (planned?.slug === undefined || typeof content !== 'string') return record;
  const notes = [...(record.notes ?? []), ...planned.notes];
  const lost = new Set<string>();
  const pictures = new Set<string>();
  const body = rewriteReferences(content, site.form, (reference) => {
    const places = site.placesOf(reference, record);
    const found = whereOf(here, places);
    if (found !== null) return `${found.url}${found.id === undefined ? anchorOf(reference) : ''}`;
    if (places.some((place) => site.pictureAt?.(place) && !files.has(place))) pictures.add(reference.target);
    else if (places.length > 0) lost.add(reference.target);
    return null;
  });
  if (pictures.size > 0) notes.push(`pictures are still at the old site: ${named(pictures)}`);
  if (lost.size > 0) notes.push(`it points at what is not here: ${named(lost)}`);
  const cover = coverOf(record, here);
  if (record.cover && !cover) {
    const { alt, caption } = record.coverText ?? {};
    const said = [record.cover.slice(0, 200), alt, caption].filter(Boolean).join('; ');
    notes.push(`its picture is not here: ${said}`);
  }
  const cleaned = site.cleaned?.(body) ?? body;
  if (site.form === 'html') notes.push(...notesOfControls(cleaned));
  const values = {
    ...record.values,
    slug: planned.slug,
    content: site.form === 'html' ? asHtmlInMarkdown(cleaned) : cleaned,
  };
  return { ...record, notes, values: { ...values, cover: cover?.id ?? '' } };
}

/** Where something is here: a file, or a record, which has no id of a file. */
function whereOf(
  { plan, files }: Here,
  places: readonly string[],
): (TakenFile | { id?: never; url: string }) | null {
  for (const place of places) {
    const file = files.get(place);
    if (file) return file;
    const url = plan.places.get(place)?.address ?? null;
    if (url !== null) return { url };
  }
  return null;
}

function coverOf(record: ForeignRecord, here: Here): TakenFile | null {
  if (!record.cover) return null;
  const found = whereOf(here, here.site.placesOf({ target: record.cover, isByName: false }, record));
  return found?.id === undefined || !found.type.startsWith('image/') ? null : found;
}

function anchorOf({ target, isByName }: Reference): string {
  const at = isByName ? -1 : target.indexOf('#');
  return at < 0 ? '' : encodeURI(target.slice(at));
}

const named = (things: ReadonlySet<string>) => {
  const first = [...things].slice(0, mostNamed).map((thing) => thing.slice(0, 200));
  return `${first.join(', ')}${things.size > mostNamed ? ` and ${things.size - mostNamed} more` : ''}`;
};
