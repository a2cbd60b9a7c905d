import type { Reader } from '../../shared/content/gate.ts';
import type { ErrorCode } from '../../shared/contract/errors.ts';
import type { Actor } from '../../shared/contract/history.ts';
import type { Admission, CollectionState } from './callers.ts';
import type { Deps } from './deps.ts';
import type { IfMatch } from './entity-tag.ts';
import type { Decision } from './rate-limiter.ts';

export type Surface = 'rest' | 'rpc' | 'mcp' | 'site';

/** Procedure or tool that was called, with the code of its error. */
export interface CallRecord {
  name: string;
  error: ErrorCode | undefined;
}

/** Request that runs once, however often it is sent. */
export interface IdempotentRequest {
  keys: readonly string[];
  /** Method and path. */
  target: string;
  /** Bytes of the body. Another request with the same key is a repetition only if its body has the same bytes. */
  body: string | Buffer;
  /** True if the answer is that of an earlier request. */
  isReplay: boolean;
}

export interface AnswerNotes {
  /** Reader and input that the answer depends on, as part of its cache key; set if the answer came from memory. */
  question?: string | undefined;
  /** Revision of the record in the answer; part of its entity tag. */
  revision?: number | undefined;
  /** REST status if it differs from the procedure's: 200 for a record that already existed. */
  status?: 200 | undefined;
  /** ID of the lesson at which a learner continues after the call; null for the page of the course. */
  lesson?: string | null | undefined;
}

export interface RecordSize {
  id: string;
  bytes: number;
}

/**
 * Records that a list query fetches if all of them together would be too large. First it fetches the list's own columns
 * and notes the size of each record (`sizes`), then whole records by `ids`. A list without bounds has no records at
 * first, and reads its sizes while they are consumed.
 */
export type ListPart =
  | { sizes: readonly RecordSize[] | AsyncIterable<RecordSize> }
  | { ids: readonly string[] };

/** Browser of a request, with the people who signed in with it before. */
export interface Browser {
  /** Returns the ID of the browser; undefined for programs, and for browsers without an earlier sign-in. */
  id(): string | undefined;
  isOf(person: string): boolean;
  remember(person: string): void;
}

export const unknownBrowser: Browser = { id: () => undefined, isOf: () => false, remember() {} };

/** Request data available to procedures, independent of the surface. */
export interface Context {
  deps: Deps;
  surface: Surface;
  /** Client address as rate limits count it. */
  client: string;
  browser: Browser;
  /** Host name of the request without port, in lower case. */
  host: string;
  /** Host name with port, if known. */
  authority?: string | undefined;
  authorization: string | undefined;
  origin: string | undefined;
  referer: string | undefined;
  memberToken: string | undefined;
  /** Token that opens a draft to a front end. */
  previewToken?: string | undefined;
  userAgent: string | undefined;
  /** Set if the request has an `Idempotency-Key`; all calls of the request share the object. */
  idempotency?: IdempotentRequest | undefined;
  /** Revision condition of a write. */
  ifMatch?: IfMatch | undefined;
  /** Result of the access checks, once they ran. */
  admission?: Admission | undefined;
  /** Author of changes; set once the caller is known. */
  actor?: Actor | undefined;
  /** True if the caller may write only their own unpublished records, as authors do. */
  onlyOwn?: boolean | undefined;
  /** Site of the call; set once the caller is known. */
  siteId?: string | undefined;
  /** Credential of the caller: the same for every secret of an API key, and for every session of an owner. */
  credential?: string | undefined;
  /** State of the collection that `meta.cached` names, as of this request. */
  collectionState?: CollectionState | null | undefined;
  /** Part of a large list that the call has to fetch. */
  listPart?: ListPart | undefined;
  /** Reader of posts; set once a procedure requested it. */
  reader?: Reader | undefined;
  /** Decisions of the limits that the request passed; shared with the reply's headers. */
  decisions: Decision[];
  /** Notes on the answer of a request with one call. Calls of a batch overwrite each other's notes. */
  answer: AnswerNotes;
  /** Calls of the request; shared with its log line. */
  calls: CallRecord[];
}
