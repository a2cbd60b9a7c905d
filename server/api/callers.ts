import type { SellingSettings } from '../../shared/contract/features/offers.ts';
import type { Theme } from '../../shared/contract/features/theme.ts';
import type { PlanName } from '../../shared/contract/plans.ts';
import type { Role } from '../../shared/contract/roles.ts';
import type { Clock } from '../../shared/contract/timestamps.ts';
import type { ApiError } from './api-error.ts';

/** State of a site's collection at the time of a query. */
export interface CollectionState {
  /** Raised by every write to the collection. */
  version: number;
  public_count: number;
}

/** API key as access checks see it, with the settings of its site; or a connected assistant. */
export interface SiteKey {
  kind: 'key';
  id: string;
  name: string;
  site_id: string;
  key_prefix: string;
  scopes: string[];
  allowed_origins: string[];
  active: boolean;
  expiry: Date | null;
  plan: PlanName;
  mcp_enabled: boolean;
  last_used_at: Date | null;
  /** State of the requested collection, read by the same query; null if none was requested. */
  collectionState: CollectionState | null;
  /**
   * Assistants only: the person who connected it, their role, and the scopes they granted. `scopes` contains those that
   * it may use.
   */
  consent?: { person_id: string; person_name: string; role: Role; given: string[] };
}

/** Signed-in person, and the site that they work on. */
export interface OwnerLogin {
  kind: 'owner';
  site_id: string;
  session_id: string;
  person_id: string;
  email: string;
  name: string;
  role: Role;
  site_name: string;
  expires_at: Date;
  last_used_at: Date | null;
  /** Time of the last second factor in this session. */
  proved_at: Date | null;
  has_factor: boolean;
}

/** Caller of a procedure. Visitors read the pages of a site without a credential. */
export type Caller = SiteKey | OwnerLogin | { kind: 'visitor'; site: VisitedSite };

/** Result of the access checks. Stored with the request, so that nothing is looked up twice. */
export interface Admission {
  /** Procedure that was checked; undefined if the surface did not know it yet. */
  procedure: string | undefined;
  /** Error of the first failed check; null if the request may proceed. */
  refusal: ApiError | null;
  /** Null if no credential is needed or the request was refused. */
  caller: Caller | null;
  /** Time of the caller's lookup, in milliseconds since the process started. */
  askedAtMs: number;
  /** Collection that the procedure's answers depend on, as of this request. */
  collectionState: CollectionState | null;
  /** True if the use of the key has to be recorded. */
  needsTouch: boolean;
}

/** Lifetime of a caller's lookup, in milliseconds. The body of a request may take a minute to arrive. */
const holdsMs = 1_000;

/** True if the caller must be looked up again: keys and sessions end, and roles change, while a request arrives. */
export const isOutdated = ({ caller, askedAtMs }: Admission, clock: Pick<Clock, 'sinceStart'>): boolean =>
  caller !== null && caller.kind !== 'visitor' && clock.sinceStart() - askedAtMs > holdsMs;

export interface KeyQuestion {
  secret: string;
  /** Host name of the request. */
  host: string;
  /** Collection whose state is wanted too; null for none. */
  collection: string | null;
}

/** Finds the key with this secret; null if it does not exist, or if `host` is another site's domain. */
export type KeyFinder = (question: KeyQuestion) => Promise<SiteKey | null>;

/**
 * Finds the assistant with this token. Throws `unauthorized` if the token is unknown or expired, its person no longer
 * works on the site, or it was connected at another address.
 */
export type AssistantFinder = (
  token: string,
  address: { host: string; authority?: string | undefined },
) => Promise<SiteKey>;

/** Site of a visitor's request, with everything that its cached pages depend on. */
export interface VisitedSite {
  id: string;
  name: string;
  plan: PlanName;
  subdomain: string | null;
  custom_domain: string | null;
  language: string;
  currency: string | null;
  time_zone: string;
  theme: Theme;
  selling: SellingSettings;
  /** True if the host names the site; false for the only site of the service on a host that belongs to no site. */
  named: boolean;
  /** Collections by name, as of the query. A collection that was never written to is absent. */
  collections: Readonly<Record<string, CollectionState>>;
  /** Key of everything that all pages depend on: settings, and the collections that have public records. */
  state: string;
}

/**
 * Finds the site that `host` names, or the only site of the service. Null if there are several and `host` names none of
 * them.
 */
export type VisitedSiteFinder = (host: string) => Promise<VisitedSite | null>;
