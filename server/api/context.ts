import type { Reader } from '../../shared/content/gate.ts';
import type { ErrorCode } from '../../shared/contract/errors.ts';
import type { Actor } from '../../shared/contract/history.ts';
import type { Admission, CollectionState } from './callers.ts';
import type { Deps } from './deps.ts';
import type { IfMatch } from './entity-tag.ts';
import type { Decision } from './rate-limiter.ts';

export type Surface = 'rest' | 'rpc' | 'mcp' | 'site';

/** A procedure that was called, or a tool by its own name, with the code of what it failed with. */
export interface CallRecord {
  name: string;
  error: ErrorCode | undefined;
}

/** A request that is to be done once, however often it is sent. */
export interface IdempotentRequest {
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

/** What the texts of a record take. */
export interface RecordSize {
  id: string;
  bytes: number;
}

/**
 * Which records of a list its query is to fetch, where all of them together would be too large: at first of each what the
 * list goes by, which notes their sizes, then those with `ids` whole. A list without bounds has no records at first, and
 * its sizes are fetched while they are asked for.
 */
export type ListPart =
  | { sizes: readonly RecordSize[] | AsyncIterable<RecordSize> }
  | { ids: readonly string[] };

/** Whether the browser of a request is one that somebody signed in with before. */
export interface Browser {
  /** Undefined for one that nobody signed in with, and for programs. */
  id(): string | undefined;
  /** Whether this person did. */
  isOf(person: string): boolean;
  /** Notes that this person has signed in with it. */
  remember(person: string): void;
}

export const unknownBrowser: Browser = { id: () => undefined, isOf: () => false, remember() {} };

/** What a procedure knows of the request, whichever surface it came through. */
export interface Context {
  deps: Deps;
  surface: Surface;
  /** The client's address as rate limits count it. */
  client: string;
  browser: Browser;
  /** Host name asked for, without port, in lower case. */
  host: string;
  /** The same with its port, where it is known. */
  authority?: string | undefined;
  authorization: string | undefined;
  origin: string | undefined;
  referer: string | undefined;
  /** A member's session token. */
  memberToken: string | undefined;
  /** What opens a draft to a front end. */
  previewToken?: string | undefined;
  userAgent: string | undefined;
  /** Set where the request names a key by which a write is done once; one object for the whole request. */
  idempotency?: IdempotentRequest | undefined;
  /** What a write asks of the record's revision. */
  ifMatch?: IfMatch | undefined;
  /** What the access checks said of the request so far. */
  admission?: Admission | undefined;
  /** Who writes: known once the caller is. */
  actor?: Actor | undefined;
  /** Whether the caller writes nothing but what they made themselves and nobody sees yet, as authors do. */
  onlyOwn?: boolean | undefined;
  /** Whose content it is about: known once the caller is. */
  siteId?: string | undefined;
  /** Whose credential it is: the same for every secret of an API key, and for every session of an owner. */
  credential?: string | undefined;
  /** The collection that `meta.cached` names, as of this request. */
  collectionState?: CollectionState | null | undefined;
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
}
