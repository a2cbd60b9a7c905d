import { expect, test } from 'vitest';
import { createShare } from './shares.ts';

const most = { inAll: 3, perSite: 2, waiting: 100, waitMs: 60_000 };

/** Begins work that ends when it is told to; `begun` is in the order in which it came to its turn. */
function stage(share: ReturnType<typeof createShare>) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    run(siteId: string, name: string) {
      return share(siteId, () => {
        begun.push(name);
        const { promise, resolve } = Promise.withResolvers<string>();
        ends.set(name, () => resolve(name));
        return promise;
      });
    },
    async end(name: string, work: Promise<unknown>) {
      ends.get(name)?.();
      await work;
    },
  };
}

test('a site that does much at once gets its share, and leaves the rest to others', async () => {
  const { begun, run, end } = stage(createShare(most));
  const first = run('busy', 'busy 1');
  run('busy', 'busy 2');
  run('busy', 'busy 3');
  run('quiet', 'quiet 1');
  expect(begun).toEqual(['busy 1', 'busy 2', 'quiet 1']);
  await end('busy 1', first);
  expect(begun).toEqual(['busy 1', 'busy 2', 'quiet 1', 'busy 3']);
});

test('who waits goes first come, first served, past those whose site has its share', async () => {
  const { begun, run, end } = stage(createShare(most));
  const works = ['busy', 'busy', 'quiet', 'busy', 'late', 'quiet'].map((site, n) =>
    run(site, `${site} ${n}`),
  );
  expect(begun).toEqual(['busy 0', 'busy 1', 'quiet 2']);
  await end('quiet 2', works[2] ?? Promise.reject());
  expect(begun.slice(3)).toEqual(['late 4']);
  await end('busy 1', works[1] ?? Promise.reject());
  expect(begun.slice(4)).toEqual(['busy 3']);
  await end('late 4', works[4] ?? Promise.reject());
  expect(begun.slice(5)).toEqual(['quiet 5']);
});

test('work that fails makes room as work that succeeds', async () => {
  const share = createShare({ ...most, inAll: 1 });
  await expect(share('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await share('a', async () => 'done')).toBe('done');
});

test('who comes when too many wait, or waits for too long, is told that the database is busy', async () => {
  const share = createShare({ ...most, inAll: 1, waiting: 1, waitMs: 1 });
  const { run, end } = stage(share);
  const first = run('a', 'first');
  const tooLong = run('a', 'too long');
  await expect(run('b', 'too many')).rejects.toMatchObject({ name: 'DatabaseBusyError' });
  await expect(tooLong).rejects.toMatchObject({ name: 'DatabaseBusyError' });
  await end('first', first);
  expect(await share('a', async () => 'next')).toBe('next');
});
