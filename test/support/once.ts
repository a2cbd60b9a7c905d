import type { TestApp } from './app.ts';

/** What tests of repeated writes say again and again: `key` makes their requests, unless they name another. */
export const repeating = (app: Pick<TestApp, 'deps'>, key: string) => ({
  /** A request with a body, under an idempotency key. */
  under: (idempotencyKey: string, body?: unknown, credential = key) => ({
    key: credential,
    ...(body !== undefined && { body }),
    headers: { 'idempotency-key': idempotencyKey },
  }),
  titled: (title: string) => `select id from posts where title = '${title}'`,
  query: (statement: string, { deps }: Pick<TestApp, 'deps'> = app) =>
    deps.database.em.execute<object[]>(statement),
});

/** Whether an answer says that it is an earlier one: `true`, or null. */
export const isReplay = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed');
