import { afterEach, expect, test, vi } from 'vitest';
import { createConcurrencyQuota, createRecentSites } from './concurrency-quota.ts';

afterEach(() => {
  vi.useRealTimers();
});

const max = { inAll: 3, perSite: 2, waiting: 100, waitMs: 60_000 };

/** Starts work that ends on demand. `begun` lists names in the order in which their work began. */
function stage(share: ReturnType<typeof createConcurrencyQuota>) {
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

test('a busy site gets its quota, and the rest remains for other sites', async () => {
  const { begun, run, end } = stage(createConcurrencyQuota(max));
  const first = run('busy', 'busy 1');
  run('busy', 'busy 2');
  run('busy', 'busy 3');
  run('quiet', 'quiet 1');
  expect(begun).toEqual(['busy 1', 'busy 2', 'quiet 1']);
  await end('busy 1', first);
  expect(begun).toEqual(['busy 1', 'busy 2', 'quiet 1', 'busy 3']);
});

test('waiting calls begin in order, except those whose site has used its quota', async () => {
  const { begun, run, end } = stage(createConcurrencyQuota(max));
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

test('failed work frees its slot like successful work', async () => {
  const share = createConcurrencyQuota({ ...max, inAll: 1 });
  await expect(share('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await share('a', async () => 'done')).toBe('done');
});

test('a call fails with DatabaseBusyError if too many calls wait, or if it waits too long', async () => {
  const share = createConcurrencyQuota({ ...max, inAll: 1, waiting: 1, waitMs: 1 });
  const { run, end } = stage(share);
  const first = run('a', 'first');
  const tooLong = run('a', 'too long');
  await expect(run('b', 'too many')).rejects.toMatchObject({ name: 'DatabaseBusyError' });
  await expect(tooLong).rejects.toMatchObject({ name: 'DatabaseBusyError' });
  await end('first', first);
  expect(await share('a', async () => 'next')).toBe('next');
});

/** Quota in which a site may run one call while others are active. The test moves the clock. */
function sharedStage(inAll = max.inAll) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const recent = createRecentSites();
  return {
    recent,
    ...stage(createConcurrencyQuota({ ...max, inAll, besideOthers: { perSite: 1, recent } })),
  };
}

test('a site gets its whole quota while it is alone, and one slot while others send requests', async () => {
  const { begun, run, end, recent } = sharedStage();
  recent.note('quiet');
  recent.note('busy');
  const first = run('busy', 'busy 1');
  const second = run('busy', 'busy 2');
  run('busy', 'busy 3');
  expect(begun).toEqual(['busy 1']);
  await vi.advanceTimersByTimeAsync(1_001);
  recent.note('busy');
  await end('busy 1', first);
  expect(begun).toEqual(['busy 1', 'busy 2', 'busy 3']);
  await end('busy 2', second);
});

test('beside others, a site pauses as long as its last work took, at most 100 ms', async () => {
  const { begun, run, end, recent } = sharedStage();
  const works = ['1', '2', '3'].map((name) => run('busy', name));
  recent.note('busy');
  recent.note('quiet');
  await vi.advanceTimersByTimeAsync(30);
  await end('1', works[0] ?? Promise.reject());
  await end('2', works[1] ?? Promise.reject());
  await vi.advanceTimersByTimeAsync(29);
  expect(begun).toEqual(['1', '2']);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toEqual(['1', '2', '3']);
  const fourth = run('busy', '4');
  await vi.advanceTimersByTimeAsync(800);
  await end('3', works[2] ?? Promise.reject());
  await vi.advanceTimersByTimeAsync(99);
  expect(begun).toEqual(['1', '2', '3']);
  await vi.advanceTimersByTimeAsync(1);
  await end('4', fourth);
  expect(begun).toEqual(['1', '2', '3', '4']);
});

test('a site without waiting calls does not pause, even beside others', async () => {
  const { begun, run, end, recent } = sharedStage();
  recent.note('quiet');
  recent.note('busy');
  const first = run('busy', '1');
  await vi.advanceTimersByTimeAsync(30);
  await end('1', first);
  run('busy', '2');
  expect(begun).toEqual(['1', '2']);
});

test('while a site pauses, other sites use its slot immediately', async () => {
  const { begun, run, end, recent } = sharedStage(1);
  recent.note('quiet');
  recent.note('busy');
  const first = run('busy', 'busy 1');
  run('busy', 'busy 2');
  run('quiet', 'quiet 1');
  await vi.advanceTimersByTimeAsync(30);
  await end('busy 1', first);
  expect(begun).toEqual(['busy 1', 'quiet 1']);
});

test('a waiting call begins before later ones, even after its site has become the only active one', async () => {
  const { begun, run, recent } = sharedStage();
  recent.note('quiet');
  recent.note('busy');
  run('busy', '1');
  run('busy', '2');
  await vi.advanceTimersByTimeAsync(1_001);
  recent.note('busy');
  run('busy', '3');
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(['1', '2']);
});

test('one site cannot occupy the whole waiting list', async () => {
  const { run } = stage(createConcurrencyQuota({ ...max, inAll: 1, waiting: 4 }));
  for (const name of ['1', '2', '3']) run('busy', name);
  await expect(run('busy', '4')).rejects.toMatchObject({ name: 'DatabaseBusyError' });
  const waits = run('quiet', 'quiet 1');
  expect(await Promise.race([waits, Promise.resolve('waits')])).toBe('waits');
});
