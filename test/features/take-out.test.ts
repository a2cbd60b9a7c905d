import { expect, test } from 'vitest';
import { keysOf } from '../../shared/contract/names-of.ts';
import { removable } from './removable.ts';
import { copyForTakingOut } from './take-out.ts';

// Minutes on a machine that does other things as well: the compiler reads all sources for each of them.
const timeout = 600_000;
const names = keysOf(removable);

test.for(names)(
  'without %s, its folders and lines of composition, server and worker compile',
  { timeout },
  async (name) => {
    await using copy = await copyForTakingOut();
    await copy.takeOut(name);
    expect(await copy.compileServer()).toEqual([]);
  },
);

test('without all of them, the studio compiles', { timeout }, async () => {
  await using copy = await copyForTakingOut();
  for (const name of names) await copy.takeOut(name);
  expect(await copy.compileStudio()).toEqual([]);
});
