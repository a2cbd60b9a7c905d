import type { CompressedBody } from '../../shared/runtime/compressed-body.ts';

/**
 * Texts of a cached answer, as they are sent. The text that gives the size is rendered when the answer is stored, the
 * other on first use.
 */
export interface RenderedAnswer {
  /** Estimated bytes of the answer with all of its texts. */
  bytes: number;
  /** JSON for REST. */
  body(): CompressedBody;
  /** Revision of the record in the answer; undefined for other answers. */
  revision: number | undefined;
  /** Strong entity tag of `body`, including the revision: the same in every process that returns the same bytes. */
  etag(): string;
  /** JSON of an RPC batch with only this answer. */
  rpcBatch(): CompressedBody;
}

export interface AnswerDetails {
  /** Text that is needed now: its length gives the size of the answer. */
  text?: 'body' | 'rpcBatch';
  revision?: number | undefined;
}

/** Everything that an answer depends on. */
export interface AnswerKey {
  question: string;
  /** Changes whenever the answer may change. Only one version of an answer is cached. */
  version: string | number;
}

/** Cache of answers in the memory of one process. */
export interface ResponseCache {
  /** Returns the cached value; undefined if none with this version is cached. */
  get(key: AnswerKey): object | undefined;
  /** Looks a value up without counting a miss, for callers that look again elsewhere. Undefined as for `get`. */
  peek(key: AnswerKey): object | undefined;
  /**
   * Records a request, of any version, and returns whether the question was requested before. Old requests are
   * forgotten. Rarely, two questions are mistaken for one.
   */
  noteRequest(key: AnswerKey): boolean;
  set(key: AnswerKey, output: object, details?: AnswerDetails): void;
  /** Caches a value that is not a procedure's answer, with its estimated bytes. */
  keep(key: AnswerKey, value: object, bytes: number): void;
  /** Returns the texts of an output that is or was cached here; undefined for any other. */
  renderedOf(output: unknown): RenderedAnswer | undefined;
}

/** Creates a key of the response cache for a value that never changes. `name` has everything that it depends on. */
export const unchanging = (name: string): AnswerKey => ({ question: name, version: '' });

/**
 * Creates accessors for values of one type in the response cache. `kind` must be unique. `get` and `peek` return undefined
 * if there is none.
 */
export const cachedValues = <T extends object>(kind: string) => {
  const own = ({ question, version }: AnswerKey) => ({ question: `${kind} ${question}`, version });
  // Only the functions below set keys with this kind.
  const ofKind = (thing: object | undefined) => thing as T | undefined;
  return {
    get: (responses: ResponseCache, key: AnswerKey) => ofKind(responses.get(own(key))),
    peek: (responses: ResponseCache, key: AnswerKey) => ofKind(responses.peek(own(key))),
    keep: (responses: ResponseCache, key: AnswerKey, { thing, bytes }: { thing: T; bytes: number }) =>
      responses.keep(own(key), thing, bytes),
  };
};
