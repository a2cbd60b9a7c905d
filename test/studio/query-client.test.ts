import { expect, test } from 'vitest';
import { createQueryClient } from '../../client/studio/data/query-client.ts';

type Queries = ReturnType<typeof createQueryClient>;

test.for<[what: string, write: (queries: Queries) => unknown]>([
  ['when a write invalidates it', (queries) => queries.invalidateQueries({ queryKey: ['records'] })],
  ['at the end of a write that began after it, even if it is not shown', (queries) => queries.beginWrite()()],
])('a query of the studio that is in flight is repeated %s', async ([, write]) => {
  const queries = createQueryClient();
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let requested = 0;
  const query = {
    queryKey: ['records', 'posts', 2],
    queryFn: () => answers[requested++]?.promise ?? Promise.reject(new Error('queried too often')),
  };
  const fetched = queries.fetchQuery(query);
  await write(queries);
  answers[0]?.resolve('before the write');
  answers[1]?.resolve('after it');
  expect([await fetched, queries.getQueryData(query.queryKey), requested]).toEqual([
    'after it',
    'after it',
    2,
  ]);
  queries.clear();
});
