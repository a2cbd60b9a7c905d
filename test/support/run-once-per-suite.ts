import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';

/** Runs `work` while no other file of the run does so under the same name. Others wait. */
async function oneAtATime<T>(name: string, work: () => Promise<T>): Promise<T> {
  const guard = new pg.Client({ connectionString: inject('databaseUrl') });
  await guard.connect();
  try {
    await guard.query('select pg_advisory_lock(hashtext($1))', [name]);
    return await work();
  } finally {
    await guard.end();
  }
}

/** Returns a folder that the first file of the run fills. Other files find it filled. No file may change it. */
export function folderOfRun(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = path.join(inject('runFolder'), name);
  const done = `${folder}.done`;
  return oneAtATime(name, async () => {
    if (existsSync(done)) return folder;
    await fill(folder);
    await mkdir(done);
    return folder;
  });
}
