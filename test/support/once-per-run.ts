import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';

/** Does `work` while no other file of the run does what has this name; one that comes at the same moment waits. */
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

/** A folder that the first file of the run to ask for it fills, and all others find filled. None changes what is in it. */
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
