import type { TestApp } from './app.ts';

/** Returns helpers for tests of repeated writes. Requests use the API key `key` unless they name another one. */
export const repeating = (app: Pick<TestApp, 'deps'>, key: string) => ({
  /** Returns a request with a body and an idempotency key. */
  under: (idempotencyKey: string, body?: unknown, credential = key) => ({
    key: credential,
    ...(body !== undefined && { body }),
    headers: { 'idempotency-key': idempotencyKey },
  }),
  titled: (title: string) => `select id from posts where title = '${title}'`,
  query: (statement: string, { deps }: Pick<TestApp, 'deps'> = app) =>
    deps.database.em.execute<object[]>(statement),
});

/** Returns the header of a repeated answer: `true`, or null for a first answer. */
export const isReplay = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed');
