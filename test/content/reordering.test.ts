import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

test('reordering moves only the given records; unknown, foreign or repeated ids change nothing', async () => {
  await using app = await startApp();
  const { skills } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const other = ownerClient(app.baseUrl, await app.seed.ownerToken(await app.seed.site())).studio;
  const { id: foreign } = await other.skills.create.mutate({ name: 'Foreign' });
  const ids: string[] = [];
  for (const name of ['A', 'B', 'C', 'D']) ids.push((await skills.create.mutate({ name, sort_order: 7 })).id);
  const [a = '', b = '', c = '', d = ''] = ids;
  const positions = async () =>
    Object.fromEntries(
      (await skills.list.query({})).items.map(({ name, sort_order, revision }) => [
        name,
        [sort_order, revision],
      ]),
    );
  expect(await skills.reorder.mutate({ ids: [c, a, b] })).toEqual({ status: 'updated' });
  const ordered = { A: [1, 2], B: [2, 2], C: [0, 2], D: [7, 1] };
  expect(await positions()).toEqual(ordered);
  for (const [code, wrong] of [
    ['not_found', [a, 'nosuchrecord000']],
    ['not_found', [a, foreign]],
    ['validation_failed', [d, a, a]],
    ['validation_failed', []],
  ] as const)
    expect([wrong, await refusal(skills.reorder.mutate({ ids: [...wrong] }))]).toEqual([
      wrong,
      expect.objectContaining({ code }),
    ]);
  expect(await positions()).toEqual(ordered);
  await skills.reorder.mutate({ ids: [c, b, a] });
  expect(await positions()).toEqual({ ...ordered, A: [2, 3], B: [1, 3] });
});
