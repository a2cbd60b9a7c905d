import type { ImportQuestion } from '../../shared/contract/features/import-export.ts';
import type { ForeignRecord } from '../../shared/importers/index.ts';
import type { Beginning } from './same-text.ts';

/** What is known of an import once all of it has been read, and before anything is changed. */
export interface Plan {
  records: Map<string, PlannedRecord>;
  /** Which record is where, in the places of the old site. */
  places: Map<string, PlannedRecord>;
  /** Files and pictures that new records show or link, by their places. */
  wanted: Map<string, WantedFile>;
  /** Columns of a list of people that only the owner can judge. */
  questions: ImportQuestion[];
}

export interface WantedFile {
  /** Of a picture that is still at the old site. */
  address: string | null;
  /** What is said of it where it is the picture of a record. */
  said: ForeignRecord['coverText'];
}

/** Collections whose records have an address of their own, and what one of them is called: others need no plan. */
export const addressed: Readonly<Record<string, string>> = { posts: 'post', pages: 'page' };

export interface PlannedRecord {
  /** Of one that is new. */
  slug?: string;
  /** Where it is shown here; null for one that was imported before and is gone. */
  address: string | null;
  /** Old addresses that lead to one that is new. */
  redirects: readonly string[];
  /** What there is to say of its slug and its old addresses. */
  notes: readonly string[];
  /** Fragments of links that lead to parts of it. */
  fragments?: Set<string>;
}

export const keyOf = ({ collection, sourceId }: Pick<ForeignRecord, 'collection' | 'sourceId'>) =>
  `${collection} ${sourceId}`;

/** What an import is planned by: a record that was read, without its body. */
export interface FoundRecord extends Pick<ForeignRecord, 'collection' | 'sourceId'> {
  title: unknown;
  slug: unknown;
  /** Where others find it. */
  places: readonly string[];
  /** Paths at which the old site showed it. */
  addresses: readonly string[];
  /** Beginning of a text whose ID another site of its system may use, too. */
  beginning?: Beginning | undefined;
  /** Links to parts of records: places of the record, the likeliest first, and the fragment. */
  partLinks: readonly { places: readonly string[]; fragment: string }[];
  /** What it shows and links, as far as it may be brought along. */
  wanted: readonly (readonly [place: string, file: WantedFile])[];
}
