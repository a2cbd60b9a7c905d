import { expect, test } from 'vitest';
import { mostCourseParts } from '../../shared/contract/features/curriculum.ts';
import { lesson } from '../../shared/contract/resources/curriculum.ts';
import { startApp } from '../support/app.ts';
import { archiveOf, importBytes } from '../support/archives.ts';
import { addRecords } from '../support/attacks/attacker.ts';
import { ownerClient } from '../support/rpc.ts';

test('an import refuses what a course has no room for, and says so', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const { id: course_id } = await studio.courses.create.mutate({ title: 'Sailing' });
  const { id: module_id } = await studio.modules.create.mutate({ course_id, title: 'Knots' });
  const { id } = await studio.lessons.create.mutate({ module_id, title: 'Bowline' });
  const archive = await archiveOf(app, siteId);
  await studio.lessons.delete.mutate({ id });
  await addRecords({ deps: app.deps, siteId }, lesson, { count: mostCourseParts - 1, title: 'L', module_id });
  const { report } = await importBytes(app, archive, { siteId });
  const refused = report.filter(({ outcome }) => outcome === 'refused');
  expect(refused.map(({ source_id, reason }) => [source_id, reason])).toEqual([
    [id, 'a course has at most 1000 modules and lessons'],
  ]);
});
