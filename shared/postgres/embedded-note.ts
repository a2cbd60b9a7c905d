import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';

/**
 * Throws with how to mend it when the note says that a database was made, and there is none: it may be lost, not mounted, or in a
 * checkout that was copied without it. An empty one in its place would look as if nothing had ever been there.
 */
export function refuseAnother(note: string, folder: string) {
  if (!existsSync(note)) return;
  throw new Error(
    `Database missing: ${folder} contains no database, but according to ${note} one was created there. Nothing was changed. Move the folder back, or mount it. If the database is lost, delete ${note}; then restore a backup with \`npx -y pnpm ops restore FILE\`, or start with an empty database.`,
  );
}

/** Notes beside a database that it was made. */
export async function noteMade(note: string, folder: string) {
  const text = `A database was created in ${folder}. While this file exists, no other database is created.\n`;
  await writeFile(note, text, { flag: 'wx', flush: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
