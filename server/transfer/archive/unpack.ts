import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { chunksOf, explain, rethrown, type SourceFile } from '../../../shared/importers/index.ts';
import { ApiError } from '../../api/api-error.ts';
import { waitForDrain } from '../wait-for-drain.ts';
import { archiveTables } from './archive-tables.ts';
import { type ArchivedFile, ArchiveManifest, manifestName, mediaIdOf } from './manifest.ts';

/**
 * Maximum size of a manifest, which is parsed as a whole and takes ten times its size in memory. Enough for 120,000
 * media files.
 */
const maxManifestBytes = 16 * 1024 * 1024;

interface Entry {
  name: string;
  bytes: number;
  content: AsyncIterable<Buffer>;
}

/** Reads the content of a file of an archive to its end. */
type Look = (name: string, content: AsyncIterable<Buffer>, manifest: ArchiveManifest) => Promise<void>;

/** Returns the error `validation_failed` for an archive that is damaged or was not written by this service. */
export const damaged = (why: string, cause?: unknown) =>
  new ApiError('validation_failed', `the archive is damaged or not from this service: ${why}`, { cause });

/** Options for reading an archive. `signal` stops reading, and `maxBytes` limits the unpacked size. */
interface ReadOptions {
  file: SourceFile;
  signal: AbortSignal;
  maxBytes?: number | undefined;
}

/**
 * Yields the files of an archive. Each must be read before the next one. Throws `validation_failed` for a damaged
 * archive, and the reason of `signal` after an abort.
 */
export async function* readEntries({
  file,
  signal,
  maxBytes = Number.POSITIVE_INFINITY,
}: ReadOptions): AsyncGenerator<Entry> {
  const tar = extract();
  const stop = new AbortController();
  const failure = (error: unknown) => readable(error, signal);
  const unpacked = pipeline(
    chunksOf(file),
    createGunzip(),
    async (chunks: AsyncIterable<Buffer>) => {
      let bytes = 0;
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > maxBytes) throw damaged('its unpacked size exceeds the maximum');
        if (!tar.write(chunk)) await waitForDrain(tar);
      }
      tar.end(null);
    },
    { signal: AbortSignal.any([signal, stop.signal]) },
  );
  unpacked.catch((error: Error) => tar.destroy(error));
  try {
    for await (const entry of tar) {
      const { name, size } = entry.header;
      yield { name, bytes: size, content: rethrown(buffersIn(entry), failure) };
    }
  } catch (error) {
    throw failure(error);
  } finally {
    stop.abort();
    tar.destroy();
  }
}

async function* buffersIn(chunks: AsyncIterable<unknown>) {
  for await (const chunk of chunks) if (Buffer.isBuffer(chunk)) yield chunk;
}

/** Returns the error to throw for a failure to read: the abort reason, an ApiError as it is, or `validation_failed`. */
function readable(error: unknown, { aborted, reason }: AbortSignal): unknown {
  if (aborted) return reason;
  if (error instanceof ApiError) return error;
  return damaged(error instanceof Error ? error.message : String(error), error);
}

/** Names of the files that this version knows, in order. */
const expectedFiles = archiveTables.map(({ name }) => `${name}.jsonl`);

/**
 * Reads an archive once, passes each file to `look`, compares it with the manifest, and returns the manifest. Throws
 * `validation_failed` for a damaged archive, and the reason of the signal after an abort.
 */
export async function verifyArchive(reading: ReadOptions, look: Look): Promise<ArchiveManifest> {
  let manifest: ArchiveManifest | undefined;
  let at = 0;
  for await (const entry of readEntries(reading)) {
    if (!manifest) {
      manifest = await readManifest(entry);
      continue;
    }
    const { name } = entry;
    const about = manifest;
    await verify(entry, about.files[at], (content) => look(name, content, about));
    at += 1;
  }
  if (!manifest) throw damaged('it has no manifest');
  const missing = manifest.files[at];
  if (missing) throw damaged(`${missing.name} is missing`);
  return manifest;
}

/**
 * Returns the manifest of an archive, without comparing it to the files. Throws `validation_failed` for a damaged
 * archive, and the reason of `signal` after an abort.
 */
export async function manifestOf(file: SourceFile, signal: AbortSignal): Promise<ArchiveManifest> {
  for await (const entry of readEntries({ file, signal })) return await readManifest(entry);
  throw damaged('it has no manifest');
}

async function readManifest({ name, bytes, content }: Entry): Promise<ArchiveManifest> {
  if (name !== manifestName) throw damaged(`it does not begin with ${manifestName}`);
  if (bytes > maxManifestBytes)
    throw damaged(`${manifestName} is larger than ${maxManifestBytes / 1_048_576} MiB`);
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  const manifest = ArchiveManifest.safeParse(parsed(Buffer.concat(chunks).toString()));
  if (!manifest.success) throw damaged(`${manifestName}: ${explain(manifest.error)}`);
  requireExpectedFiles(manifest.data.files);
  return manifest.data;
}

function requireExpectedFiles(files: readonly ArchivedFile[]) {
  const names = new Set<string>();
  for (const { name } of files) {
    if (names.has(name)) throw damaged(`the manifest lists ${name} twice`);
    names.add(name);
  }
  let position = -1;
  for (const { name } of files.filter((file) => mediaIdOf(file.name) === null)) {
    const next = expectedFiles.indexOf(name);
    if (next < 0) throw damaged(`unknown file ${name}`);
    if (next <= position) throw damaged(`${name} is out of order`);
    position = next;
  }
}

async function verify(
  { name, bytes, content }: Entry,
  expected: ArchivedFile | undefined,
  look: (content: AsyncIterable<Buffer>) => Promise<void>,
) {
  if (name !== expected?.name || bytes !== expected.bytes)
    throw damaged(`name or size of ${name} differs from the manifest`);
  const hash = createHash('sha256');
  let records = 0;
  const seen = async function* () {
    for await (const chunk of content) {
      hash.update(chunk);
      if (expected.records !== null) records += linesIn(chunk);
      yield chunk;
    }
  };
  await look(seen());
  if (hash.digest('hex') !== expected.sha256)
    throw damaged(`the checksum of ${name} differs from the manifest`);
  if (expected.records !== null && records !== expected.records)
    throw damaged(`${name} has ${records} records, but the manifest lists ${expected.records}`);
}

function linesIn(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  return lines;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
