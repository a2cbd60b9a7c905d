import type { Coded } from '../../shared/runtime/coded.ts';

/** A kept answer as it is sent. Each text is made when it is first asked for. */
export interface Rendered {
  /** Bytes that the answer takes, roughly, with all of its texts. */
  bytes: number;
  /** JSON, as REST sends it. */
  body(): Coded;
  /** Of the one record that it tells of; undefined for any other answer. */
  revision: number | undefined;
  /** Strong entity tag of `body`, with the revision: the same in every process that gives the same bytes. */
  etag(): string;
  /** JSON of a batch with this answer alone, as RPC sends it. */
  rpcBatch(): Coded;
}

/** What is known of an answer that is to be kept. */
export interface AnswerDetails {
  /** The text that is asked for now: its length is what the answer is measured by. */
  text?: 'body' | 'rpcBatch';
  revision?: number | undefined;
}

/** What an answer depends on. */
export interface AnswerKey {
  question: string;
  /** What changes whenever the answer to the question may; only one is kept of each. */
  version: string | number;
}

/** Answers kept in the memory of one process. */
export interface ResponseCache {
  get(key: AnswerKey): object | undefined;
  /** The same, for one who has it looked for again where there is nothing. */
  peek(key: AnswerKey): object | undefined;
  /**
   * Notes that the question was asked, of whatever version, and tells whether it was before. Those that came long ago are
   * forgotten, and rarely one is taken for another.
   */
  noteRequest(key: AnswerKey): boolean;
  set(key: AnswerKey, output: object, details?: AnswerDetails): void;
  /** Keeps what is no answer of a procedure, and takes about so many bytes. */
  keep(key: AnswerKey, value: object, bytes: number): void;
  /** The texts of an output that is or was kept here; undefined for any other. */
  renderedOf(output: unknown): Rendered | undefined;
}

/** A key of what never changes, by a name that says all about it. */
export const unchanging = (name: string): AnswerKey => ({ question: name, version: '' });

/** Things of one kind, kept in the same memory as answers; `kind` is theirs alone. */
export const cachedValues = <T extends object>(kind: string) => {
  const own = ({ question, version }: AnswerKey) => ({ question: `${kind} ${question}`, version });
  // Keys that begin with this kind are set below only.
  const ofKind = (thing: object | undefined) => thing as T | undefined;
  return {
    get: (responses: ResponseCache, key: AnswerKey) => ofKind(responses.get(own(key))),
    peek: (responses: ResponseCache, key: AnswerKey) => ofKind(responses.peek(own(key))),
    keep: (responses: ResponseCache, key: AnswerKey, { thing, bytes }: { thing: T; bytes: number }) =>
      responses.keep(own(key), thing, bytes),
  };
};
