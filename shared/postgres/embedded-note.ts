import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';

/**
 * Throws with how to mend it when the note says that a database was made, and there is none: it may be lost, not mounted, or in a
 * checkout that was copied without it. An empty one in its place would look as if nothing had ever been there.
 */
export function refuseAnother(note: string, folder: string) {
  if (!existsSync(note)) return;
  throw new Error(
    `The database is away: there is none in ${folder}, though ${note} says that one was made. Nothing was changed. Put its folder back, or mount it. If it is lost, remove ${note}: then \`npx -y pnpm ops restore FILE\` brings back a backup; a start without one begins anew, with an empty database.`,
  );
}

/** Notes beside a database that it was made. */
export async function noteMade(note: string, folder: string) {
  const text = `A database was made in ${folder}. While this file is here, no other is made.\n`;
  await writeFile(note, text, { flag: 'wx', flush: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
