import type { ErrorCode } from '../../shared/contract/errors.ts';
import type { Actor } from '../../shared/contract/history.ts';
import type { ApiError } from './api-error.ts';
import type { Caller, CollectionVersion, KnownKey, Reader } from './callers.ts';
import type { Deps } from './deps.ts';
import type { IfMatch } from './entity-tag.ts';
import type { KnownBrowser } from './known-browser.ts';
import type { Decision } from './rate-limiter.ts';

export type Surface = 'rest' | 'rpc' | 'mcp' | 'site';

/** A procedure that was called, or a tool by its own name, with the code of what it failed with. */
export interface CallRecord {
  name: string;
  error: ErrorCode | undefined;
}

/** A request that is to be done once, however often it is sent. */
export interface OnceRequest {
  /** `Idempotency-Key`, as it came; all of them, if it came more than once. */
  keys: readonly string[];
  /** Method and path. */
  target: string;
  /** What was read of the body so far; a repetition has the same. */
  body: string | Buffer;
  /** Set when the answer is that of an earlier request. */
  isReplay: boolean;
}

/** What is known of an answer besides what it says. */
export interface AnswerNotes {
  /** What it depends on besides the site and its content, where it came from memory. */
  question?: string | undefined;
  /** Of the one record that it tells of: becomes part of its entity tag. */
  revision?: number | undefined;
  /** Of REST, where it is another than the procedure's: 200 for what was there already. */
  status?: 200 | undefined;
}

/**
 * Which records of a list its query is to fetch, where all of them together would be too large: at first of each what the
 * list goes by, which notes their ids and sizes, then those with `ids` whole.
 */
export type ListPart = { sizes: { id: string; bytes: number }[] } | { ids: readonly string[] };

/** What a procedure knows of the request, whichever surface it came through. */
export interface Context {
  deps: Deps;
  surface: Surface;
  /** The client's address as rate limits count it. */
  client: string;
  browser: KnownBrowser;
  /** Host name asked for, without port, in lower case. */
  host: string;
  authorization: string | undefined;
  origin: string | undefined;
  referer: string | undefined;
  /** A member's session token. */
  memberToken: string | undefined;
  userAgent: string | undefined;
  /** Set where the request names a key by which a write is done once; one object for the whole request. */
  once?: OnceRequest | undefined;
  /** What a write asks of the record's revision. */
  ifMatch?: IfMatch | undefined;
  /** The key of this request, where it was looked for already, with the collection that the procedure names. */
  foundKey?: Promise<KnownKey | null> | undefined;
  /** Who calls, on surfaces that find out before they know the procedure: an API key, or a visitor of the site's pages. */
  admitted?: Caller | undefined;
  /** Who writes: known once the caller is. */
  actor?: Actor | undefined;
  /** Whose content it is about: known once the caller is. */
  siteId?: string | undefined;
  /** Whose credential it is: the same for every secret of an API key, and for every session of an owner. */
  credential?: string | undefined;
  /** The collection that `meta.cached` names, as of this request. */
  collection?: CollectionVersion | null | undefined;
  /** What a list is to fetch that is too large to be fetched at once. */
  listPart?: ListPart | undefined;
  /** Who reads posts: known once a procedure asked for it. */
  reader?: Reader | undefined;
  /** What each limit that the request passed said; shared with the reply's headers. */
  decisions: Decision[];
  /** Notes on the answer of a request with one call; those of several calls get mixed up. */
  answer: AnswerNotes;
  /** What was called so far; shared with the request's line in the log. */
  calls: CallRecord[];
  /** The calls of an RPC request that are over a limit, by their place in the batch. */
  refusedCalls: ReadonlyMap<number, ApiError>;
}
