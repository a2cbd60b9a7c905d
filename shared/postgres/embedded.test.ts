import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { type EmbeddedDatabase, startEmbeddedDatabase } from './embedded.ts';

test('a stopped database keeps its rows for the next start', async () => {
  const dataDir = await makeFolder();
  const first = await start(dataDir);
  await query(first.url, `create table note as select 'kept' as text`);
  await first.stop();

  const second = await start(dataDir);

  expect(await query(second.url, 'select text from note')).toEqual([{ text: 'kept' }]);
});

test('two databases in different folders run side by side', async () => {
  const [one, other] = await Promise.all([start(await makeFolder()), start(await makeFolder())]);

  const answers = await Promise.all([query(one.url, 'select 1 as n'), query(other.url, 'select 2 as n')]);

  expect(answers).toEqual([[{ n: 1 }], [{ n: 2 }]]);
});

test('a folder in use is refused with the ID of the process that uses it', async () => {
  const dataDir = await makeFolder();
  const running = await start(dataDir);
  const pid = (await readFile(await pidFileOf(running.url), 'utf8')).split('\n')[0];

  await expect(start(dataDir)).rejects.toThrow(`is already running as process ${pid}:`);
});

test('the embedded database starts despite the PID file of a crash, even if another process now has the number', async () => {
  const dataDir = await makeFolder();
  const first = await start(dataDir);
  const pidFile = await pidFileOf(first.url);
  const left = await readFile(pidFile, 'utf8');
  await first.stop();
  await writeFile(pidFile, left.replace(/^\d+/, String(process.pid)));

  const second = await start(dataDir);

  expect(await query(second.url, 'select 1 as n')).toEqual([{ n: 1 }]);
});

test('the database of a killed process ends with it, and the next start can use the folder', async () => {
  const dataDir = await makeFolder();
  const owner = await startElsewhere(dataDir, '');
  const lost = await openConnection(owner.url);

  owner.process.kill('SIGKILL');

  expect(await lost.reason).toMatchObject({ code: '57P01' });
  const next = await start(dataDir);
  expect(await query(next.url, 'select 1 as n')).toEqual([{ n: 1 }]);
});

test('after a Ctrl-C in the terminal, the database runs until its process stops it', async () => {
  const owner = await startElsewhere(
    await makeFolder(),
    `process.once('SIGINT', async () => {
       const client = new pg.Client(db.url);
       await client.connect();
       const { rows } = await client.query('select 1 as n');
       await client.end();
       await db.stop();
       console.log('answer', rows[0].n);
       process.exit();
     });`,
  );

  process.kill(-Number(owner.process.pid), 'SIGINT');

  expect(await owner.nextLine()).toBe('answer 1');
  await expect(query(owner.url, 'select 1')).rejects.toThrow('ECONNREFUSED');
});

test('stop ends the database with open connections, and may be called twice', async () => {
  const database = await start(await makeFolder());
  const lost = await openConnection(database.url);

  await Promise.all([database.stop(), database.stop()]);

  expect(await lost.reason).toMatchObject({ code: '57P01' });
});

test('the embedded database can use a folder inside one that only its user can open', async () => {
  const parent = await makeFolder();
  await chmod(parent, 0o700);
  const dataDir = join(parent, 'checkout', '.data');
  const first = await start(dataDir);
  await query(first.url, `create table note as select 'kept' as text`);
  await first.stop();

  const second = await start(dataDir);

  expect(await query(second.url, 'select text from note')).toEqual([{ text: 'kept' }]);
});

test('only users who can read the password file can connect', async () => {
  const database = await start(await makeFolder());
  const wrong = new URL(database.url);
  wrong.password = 'guessed';

  const { mode } = await stat(join(await clusterOf(database.url), 'password'));

  expect((mode & 0o777).toString(8)).toBe('600');
  await expect(query(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
});

test('times are UTC, text is UTF-8, and ICU collations can be named', async () => {
  const database = await start(await makeFolder());

  const rows = await query(
    database.url,
    `select current_setting('TimeZone') as zone, current_setting('server_encoding') as encoding,
       upper('ä') as upper, 'ä' < 'b' collate "und-x-icu" as by_icu`,
  );

  expect(rows).toEqual([{ zone: 'UTC', encoding: 'UTF8', upper: 'Ä', by_icu: true }]);
});

test('the error names a folder that cannot be created', async () => {
  const file = join(await makeFolder(), 'file');
  await writeFile(file, '');

  await expect(start(join(file, 'data'))).rejects.toThrow(file);
});

test('the error of a failed start contains the log', async () => {
  const dataDir = await makeFolder();
  const first = await start(dataDir);
  const cluster = await clusterOf(first.url);
  await first.stop();
  await writeFile(join(cluster, 'PG_VERSION'), '9.6\n');

  await expect(start(dataDir)).rejects.toThrow('database files are incompatible with server');
});

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  // Checkouts usually have this mode.
  await chmod(folder, 0o755);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function start(dataDir: string): Promise<EmbeddedDatabase> {
  const database = await startEmbeddedDatabase({ dataDir, durable: false });
  const home = dirname(await clusterOf(database.url));
  onTestFinished(async () => {
    await database.stop();
    await rm(home, { recursive: true, force: true });
  });
  return database;
}

/** Starts a database in a process with its own process group, as a terminal does, and runs a script there. */
async function startElsewhere(dataDir: string, script: string) {
  const program = `
    import pg from 'pg';
    import { startEmbeddedDatabase } from './embedded.ts';
    const db = await startEmbeddedDatabase({ dataDir: ${JSON.stringify(dataDir)}, durable: false });
    setInterval(() => {}, 60_000);
    ${script}
    console.log(db.url);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async () => (await lines.next()).value;
  return { process: child, url: String(await nextLine()), nextLine };
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(sql).finally(() => client.end());
  return rows;
}

/** Opens a connection. `reason` resolves with the error that ends it. */
async function openConnection(url: string): Promise<{ reason: Promise<unknown> }> {
  const client = new pg.Client(url);
  const reason = new Promise((resolve) => client.on('error', resolve));
  await client.connect();
  return { reason };
}

async function clusterOf(url: string): Promise<string> {
  const [row] = await query(url, 'show data_directory');
  return String(row?.data_directory);
}

async function pidFileOf(url: string): Promise<string> {
  return join(await clusterOf(url), 'postmaster.pid');
}
