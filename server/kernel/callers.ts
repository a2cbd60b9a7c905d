import type { PlanName } from '../../shared/contract/plans.ts';
import type { Theme } from '../../shared/contract/theme.ts';

/** A collection of a site as it was at one moment. */
export interface CollectionVersion {
  /** Raised by every write to the collection. */
  version: number;
  /** How many of its records can be read. */
  public_count: number;
}

/** Who calls procedures that need a scope. */
export interface Caller {
  id: string;
  name: string;
  site_id: string;
  scopes: readonly string[];
  allowed_origins: readonly string[];
  plan: PlanName;
  /** The collection that was asked for, read in the same query; null when none was. */
  collection: CollectionVersion | null;
}

/** An API key as access checks see it, with what they need of its site. */
export interface KnownKey extends Caller {
  key_prefix: string;
  scopes: string[];
  allowed_origins: string[];
  active: boolean;
  expiry: Date | null;
  mcp_enabled: boolean;
  last_used_at: Date | null;
}

interface KeyQuestion {
  secret: string;
  /** Host name that the request asked for. */
  host: string;
  /** Collection whose version is wanted too; null for none. */
  collection: string | null;
}

/** Gives the key with this secret; null when there is none, or when `host` is another site's domain. */
export type KeyFinder = (question: KeyQuestion) => Promise<KnownKey | null>;

/** Gives the id of the site that `host` names, else of the only one there is; null when it names none of several. */
export type SiteFinder = (host: string) => Promise<string | null>;

/** A site as a visitor's request finds it, with all that its pages are kept under. */
export interface VisitedSite {
  id: string;
  name: string;
  plan: PlanName;
  subdomain: string | null;
  custom_domain: string | null;
  language: string;
  theme: Theme;
  /** Whether the host names it; false for the only site there is, on a host that is no site's. */
  named: boolean;
  /** Collections by name, as they were when the request asked; one that nobody ever wrote to is not in it. */
  collections: Readonly<Record<string, CollectionVersion>>;
  /** All of it that every page depends on: what is set, and which collections have something to show. */
  state: string;
}

/** Gives the site that `host` names, else the only one there is; null when it names none of several. */
export type VisitedSiteFinder = (host: string) => Promise<VisitedSite | null>;

/** Who is reading: nothing known, or what a member's session, tiers and purchases open. */
export interface Reader {
  signedIn: boolean;
  tiers: readonly string[];
  /** Ids of records this reader bought. */
  purchases: readonly string[];
}

/** Of whom nothing is known: pages and the API share what they keep for all of them. */
export const anyone: Reader = { signedIn: false, tiers: [], purchases: [] };
