import type { PlannedRedirects } from './plan-redirects.ts';
import type { ForeignRecord } from './sources/foreign-record.ts';

/** What is known of an import once all of it has been read, and before anything is changed. */
export interface Plan {
  /** The slugs of records that are new, and what there is to say of them. */
  slugs: Map<string, { slug: string; note: string | null }>;
  /** Where records are shown here. */
  addresses: Map<string, string>;
  /** Which record is where, in the places of the old site. */
  places: Map<string, string>;
  /** Old addresses that lead to records that are new. */
  redirects: Map<string, PlannedRedirects>;
  /** Files and pictures that new records show or link, and the address of each that is still at the old site. */
  wanted: Map<string, string | null>;
}

/** What a record is known by. */
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
  /** What it shows and links, as far as it may be brought along: places, with the address of a picture. */
  wanted: readonly (readonly [place: string, address: string | null])[];
}
