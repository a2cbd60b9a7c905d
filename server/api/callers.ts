import type { Theme } from '../../shared/contract/features/theme.ts';
import type { Clock } from '../../shared/contract/moments.ts';
import type { PlanName } from '../../shared/contract/plans.ts';
import type { Role } from '../../shared/contract/roles.ts';
import type { ApiError } from './api-error.ts';

/** A collection of a site as it was at one moment. */
export interface CollectionState {
  /** Raised by every write to the collection. */
  version: number;
  /** How many of its records can be read. */
  public_count: number;
}

/** An API key as access checks see it, with what they need of its site; or an assistant that somebody connected. */
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
  /** The collection that was asked for, read in the same query; null when none was. */
  collectionState: CollectionState | null;
  /** Of an assistant: who connected it, in which role, and what they gave it; `scopes` has what of that it may use. */
  consent?: { person_id: string; person_name: string; role: Role; given: string[] };
}

/** Somebody who is signed in, with the site that they work on. */
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
  /** When they last gave a second factor in this session. */
  proved_at: Date | null;
  /** Whether they have one. */
  has_factor: boolean;
}

/** Visitors read the pages of a site, which takes no credential. */
export type Caller = SiteKey | OwnerLogin | { kind: 'visitor'; site: VisitedSite };

/** What the access checks say of a request. It is kept with the request, so that nothing is looked for twice. */
export interface Admission {
  /** The procedure that it holds for; undefined where a surface asks before it knows what is called. */
  procedure: string | undefined;
  /** The first check that fails, as it is answered; null for who may go on. */
  refusal: ApiError | null;
  /** Null for who needs no credential, or was refused. */
  caller: Caller | null;
  /** When the caller was looked for, in milliseconds since the process started. */
  askedAtMs: number;
  /** The collection that the procedure's answers depend on, as of this request. */
  collectionState: CollectionState | null;
  /** Whether it has to be noted that the key was used. */
  needsTouch: boolean;
}

/** How long what was found of a caller holds, in milliseconds: a request may go on coming for a minute. */
const holdsMs = 1_000;

/** Whether it is time to ask again who calls: keys and sessions end, and roles change, while a request comes. */
export const isOutdated = ({ caller, askedAtMs }: Admission, clock: Pick<Clock, 'sinceStart'>): boolean =>
  caller !== null && caller.kind !== 'visitor' && clock.sinceStart() - askedAtMs > holdsMs;

export interface KeyQuestion {
  secret: string;
  /** Host name that the request asked for. */
  host: string;
  /** Collection whose version is wanted too; null for none. */
  collection: string | null;
}

/** Gives the key with this secret; null when there is none, or when `host` is another site's domain. */
export type KeyFinder = (question: KeyQuestion) => Promise<SiteKey | null>;

/**
 * Gives the assistant with this token. Throws `unauthorized` when there is none, it has ended, its person no longer works on the
 * site, or it was connected at another address.
 */
export type AssistantFinder = (
  token: string,
  address: { host: string; authority?: string | undefined },
) => Promise<SiteKey>;

/** A site as a visitor's request finds it, with all that its pages are kept under. */
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
  /** Whether the host names it; false for the only site there is, on a host that is no site's. */
  named: boolean;
  /** Collections by name, as they were when the request asked; one that nobody ever wrote to is not in it. */
  collections: Readonly<Record<string, CollectionState>>;
  /** All of it that every page depends on: what is set, and which collections have something to show. */
  state: string;
}

/** Gives the site that `host` names, else the only one there is; null when it names none of several. */
export type VisitedSiteFinder = (host: string) => Promise<VisitedSite | null>;
