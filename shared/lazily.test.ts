import { expect, test } from 'vitest';
import { lazily } from './lazily.ts';

test('what is made lazily is made once, for all who ask at once and later', async () => {
  let times = 0;
  const get = lazily(async () => {
    times += 1;
    return {};
  });

  const [first, second] = await Promise.all([get(), get()]);

  expect(second).toBe(first);
  expect(await get()).toBe(first);
  expect(times).toBe(1);
});

test('what could not be made is made when it is asked for again', async () => {
  let fails = true;
  const get = lazily(async () => {
    if (fails) throw new Error('no file descriptor left');
    return 'made';
  });

  const refused = [get(), get()];
  for (const one of refused) await expect(one).rejects.toThrow('no file descriptor left');
  fails = false;
  expect(await get()).toBe('made');
});
