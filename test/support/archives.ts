import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { extract, pack } from 'tar-stream';
import { onTestFinished } from 'vitest';
import { exportSite } from '../../server/transfer/archive/export-site.ts';
import { importArchive } from '../../server/transfer/archive/import-archive.ts';
import type { ImportOptions } from '../../server/transfer/import-target.ts';
import type { ImportedRecordReport } from '../../shared/contract/features/import-export.ts';
import type { TestApp } from './app.ts';

/** Creates a folder that is removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'moving test '));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a file with this content, which is removed after the test. */
export async function temporaryFile(content: Buffer | string, name = 'site.tar.gz'): Promise<string> {
  const file = path.join(await temporaryFolder(), name);
  await writeFile(file, content);
  return file;
}

/** Creates a folder with these files, which is removed after the test. */
export async function folderOf(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }
  return folder;
}

/** Exports a site and returns the archive. */
export async function archiveOf(app: Pick<TestApp, 'deps'>, siteId: string): Promise<Buffer> {
  const to = new PassThrough();
  const [bytes] = await Promise.all([buffer(to), exportSite(app.deps, siteId, to)]);
  return bytes;
}

/** Imports an archive and returns the result with the report of each record. */
export async function importBytes(
  app: Pick<TestApp, 'deps'>,
  archive: Buffer,
  options: ImportOptions & { siteId?: string } = {},
) {
  const report: ImportedRecordReport[] = [];
  const file = await temporaryFile(archive);
  const done = await importArchive(app.deps, file, { ...options, onRecord: (record) => report.push(record) });
  return { ...done, report };
}

/** Encoding of a file in memory. Media files are kept unchanged, with one character per byte. */
const encodingOf = (name: string) => (name.startsWith('media/') ? 'latin1' : 'utf8');

/** Returns the files of an archive, by name. */
export async function filesOf(archive: Buffer): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const tar = extract();
  tar.end(gunzipSync(archive));
  for await (const entry of tar) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
    files.set(entry.header.name, Buffer.concat(chunks).toString(encodingOf(entry.header.name)));
  }
  return files;
}

/** Creates an archive of these files, whatever their content is. */
export async function archiveFrom(files: ReadonlyMap<string, string>): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of files)
    tar.entry({ name, mtime: new Date(0) }, Buffer.from(content, encodingOf(name)));
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}

/** Replaces the content of a file in an archive and updates the manifest. */
export function replaceFile(
  files: Map<string, string>,
  name: string,
  content: string,
  { records = content.split('\n').length - 1 }: { records?: number } = {},
) {
  const manifest = JSON.parse(files.get('manifest.json') ?? '');
  const file = manifest.files.find((each: { name: string }) => each.name === name);
  file.sha256 = createHash('sha256').update(content).digest('hex');
  file.bytes = Buffer.byteLength(content);
  file.records = records;
  files.set(name, content);
  files.set('manifest.json', JSON.stringify(manifest));
}

/** Returns the rows of a query on the app's database. */
export const rowsOf = async <Row>(app: Pick<TestApp, 'deps'>, query: string) =>
  (await sql.raw<Row>(query).execute(app.deps.database.em.getKysely())).rows;
