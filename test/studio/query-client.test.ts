import { expect, test } from 'vitest';
import { createQueryClient } from '../../client/studio/data/query-client.ts';

test('a query of the studio that is in flight is repeated when a write invalidates it', async () => {
  const queries = createQueryClient();
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let requested = 0;
  const query = {
    queryKey: ['records', 'posts', 2],
    queryFn: () => answers[requested++]?.promise ?? Promise.reject(new Error('queried too often')),
  };
  const fetched = queries.fetchQuery(query);
  await queries.invalidateQueries({ queryKey: ['records'] });
  answers[0]?.resolve('before the write');
  answers[1]?.resolve('after it');
  expect([await fetched, queries.getQueryData(query.queryKey), requested]).toEqual([
    'after it',
    'after it',
    2,
  ]);
  queries.clear();
});

test('a query that is in flight and not shown is repeated at the end of a write that began after the query', async () => {
  const queries = createQueryClient();
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let requested = 0;
  const query = {
    queryKey: ['records', 'posts', 2],
    queryFn: () => answers[requested++]?.promise ?? Promise.reject(new Error('queried too often')),
  };
  const fetched = queries.fetchQuery(query);
  const endWrite = queries.beginWrite();
  endWrite();
  answers[0]?.resolve('before the write');
  answers[1]?.resolve('after it');
  expect([await fetched, queries.getQueryData(query.queryKey), requested]).toEqual([
    'after it',
    'after it',
    2,
  ]);
  queries.clear();
});
