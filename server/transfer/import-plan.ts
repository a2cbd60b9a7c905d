import type { ImportQuestion } from '../../shared/contract/features/import-export.ts';
import type { ForeignRecord } from '../../shared/importers/index.ts';
import type { Beginning } from './match-imported-texts.ts';

/** Plan of an import: the result of the first pass over the file, before anything changes. */
export interface Plan {
  records: Map<string, PlannedRecord>;
  /** Records by their locations on the old site. */
  places: Map<string, PlannedRecord>;
  /** Files that new records show or link to, by their locations on the old site. */
  wanted: Map<string, WantedFile>;
  /** Columns of a list of people that only the owner can judge. */
  questions: ImportQuestion[];
}

export interface WantedFile {
  /** URL of an image that is still on the old site; null for a file of the export. */
  address: string | null;
  /** Alternative text and caption of a record's cover image. */
  said: ForeignRecord['coverText'];
}

/** Collections whose records have pages, with the name of one record in paths. Other collections need no plan. */
export const addressed: Readonly<Record<string, string>> = { posts: 'post', pages: 'page' };

export interface PlannedRecord {
  /** Slug of a new record; undefined for one that was imported before. */
  slug?: string;
  /** Path of the record on this site; null for one that was imported before and deleted since. */
  address: string | null;
  /** Old addresses that redirect to a new record. */
  redirects: readonly string[];
  /** Notes on a changed slug and on redirects. */
  notes: readonly string[];
  /** Fragments of links to headings of this record. */
  fragments?: Set<string>;
}

export const keyOf = ({ collection, sourceId }: Pick<ForeignRecord, 'collection' | 'sourceId'>) =>
  `${collection} ${sourceId}`;

/** Record of the first pass, without its body. */
export interface FoundRecord extends Pick<ForeignRecord, 'collection' | 'sourceId'> {
  title: unknown;
  slug: unknown;
  /** Locations under which other records of the old site link to this record. */
  places: readonly string[];
  /** Paths at which the old site showed the record. */
  addresses: readonly string[];
  /** Beginning of the text, for systems in which records of two sites may have the same ID. */
  beginning?: Beginning | undefined;
  /** Links to headings of other records: candidate locations of the record, the likeliest first, and the fragment. */
  partLinks: readonly { places: readonly string[]; fragment: string }[];
  /** Files that the record shows or links to and that can be imported, by their locations on the old site. */
  wanted: readonly (readonly [position: string, file: WantedFile])[];
}
