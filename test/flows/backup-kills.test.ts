import { readdir, stat } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { openBackup } from '../../server/cli/backup/open-backup.ts';
import { fillWithExample } from '../../server/demo/fill.ts';
import { startApp } from '../support/app.ts';
import { makeFolder, readRows, runOps, startOps } from '../support/backups.ts';
import { withPort } from '../support/delivery-stage.ts';
import { createEmptyDatabase } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { createRandom, newSeed } from '../support/random.ts';
import { startProxy } from '../support/tcp-proxy.ts';

const long = process.env.FAULTS === 'long';

/** Number of kills for backups and for restores. */
const kills = long ? 40 : 5;

if (long) vi.setConfig({ testTimeout: 1_800_000 });

async function prepare() {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(await startApp());
  const folder = stack.use(await makeFolder());
  await fillWithExample(app.deps, await app.seed.ownSite());
  const source = { dataDir: folder.at('source'), databaseUrl: app.databaseUrl, mediaDir: app.mediaDir };
  const end = stack.move();
  return { app, folder, source, [Symbol.asyncDispose]: () => end.disposeAsync() };
}

test(`${kills} backups killed at random points: none leaves an incomplete file under its final name`, async () => {
  await using stage = await prepare();
  const seed = newSeed();
  const random = createRandom(seed);
  await runOps(['backup', stage.folder.at('whole.tar')], stage.source);
  const { size } = await stat(stage.folder.at('whole.tar'));
  let killed = 0;
  for (let kill = 0; kill < kills; kill++) {
    const name = `${kill}.tar`;
    const at = Math.floor(random() * size);
    await using running = startOps(['backup', stage.folder.at(name)], stage.source);
    await eventually(async () => {
      const [file] = (await readdir(stage.folder.at())).filter((file) => file.startsWith(name));
      if (file === undefined) return running.hasEnded();
      // Between the two checks the file may get its final name; it is complete then.
      const written = await stat(stage.folder.at(file)).then(
        (found) => found.size,
        () => size,
      );
      return running.hasEnded() || written >= at;
    });
    running.signal('SIGKILL');
    if ((await running.ended()).exitCode === null) killed += 1;
    const whole = await openBackup(stage.folder.at(name)).then(
      (backup) => backup[Symbol.asyncDispose]().then(() => 'whole'),
      (error: Error & { code?: string }) => error.code ?? error.message,
    );
    expect([seed, at, whole]).toEqual([seed, at, expect.toBeOneOf(['whole', 'ENOENT'])]);
  }
  expect(killed).toBeGreaterThan(0);
});

test(`${kills} restores killed at random points: each leaves the target empty or complete, and the next run completes it`, async () => {
  await using stage = await prepare();
  const seed = newSeed();
  const random = createRandom(seed);
  const file = stage.folder.at('whole.tar');
  await runOps(['backup', file], stage.source);
  const wanted = await readRows(stage.app.databaseUrl);
  const filled = Object.keys(wanted).filter((table) => wanted[table]?.length);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  for (let kill = 0; kill < kills; kill++) {
    const timestamp = pick([
      { hold: 'holdRequest', steps: [/create table posts/] },
      { hold: 'holdRequest', steps: [new RegExp(`copy "${pick(filled)}"`)] },
      { hold: 'holdRequest', steps: [/enable trigger user/] },
      { hold: 'holdRequest', steps: [/access exclusive mode/, /commit\0/] },
      { hold: 'holdAnswer', steps: [/access exclusive mode/, /commit\0/] },
    ] as const);
    const about = `kill ${kill} with seed ${seed}: ${timestamp.hold} ${timestamp.steps.join(' ')}`;
    await using database = await createEmptyDatabase();
    await using proxy = await startProxy({ port: Number(new URL(database.url).port) });
    const target = {
      dataDir: stage.folder.at(`target-${kill}`),
      databaseUrl: withPort(database.url, proxy.port),
    };
    const held = proxy[timestamp.hold](...timestamp.steps);
    await using running = startOps(['restore', file], target);
    const reached = held.then((traffic) => traffic.cut());
    await Promise.race([reached, running.ended()]);
    expect([about, running.hasEnded()]).toEqual([about, false]);
    running.signal('SIGKILL');
    await running.ended();
    const connected =
      "select from pg_stat_activity where application_name = 'restore' and datname = current_database()";
    await eventually(async () => (await database.query(connected)).length === 0);

    const isWhole = timestamp.hold === 'holdAnswer';
    const left = Object.values(await readRows(database.url)).flat();
    expect([about, left.length > 0]).toEqual([about, isWhole]);
    const again = await runOps(['restore', file], { ...target, databaseUrl: database.url });
    expect([about, again.exitCode, again.output]).toEqual([about, isWhole ? 1 : 0, expect.anything()]);
    expect(await readRows(database.url)).toEqual(wanted);
  }
});
