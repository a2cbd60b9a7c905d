import { Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { type MediaStore, originalKey } from '../../../shared/media/store.ts';
import { contentOf, openUnnamedFile } from '../../../shared/runtime/file-system.ts';
import { ApiError } from '../../api/api-error.ts';
import type { ImportDeps } from '../import-target.ts';
import { waitForDrain } from '../wait-for-drain.ts';
import { readMailKey } from './mail-key.ts';
import {
  type ArchivedFile,
  type ArchivedMediaFile,
  type ArchivedSettings,
  type ArchiveManifest,
  manifestName,
  mediaFolder,
} from './manifest.ts';
import { type OnProgress, type StagedFile, takeSnapshot } from './snapshot.ts';

/**
 * Writes the archive of a site. Rejects with `not_found` or `MediaUnavailableError` before the first byte, and later if `to`
 * fails or is closed.
 */
export async function exportSite(
  deps: Pick<ImportDeps, 'database' | 'media' | 'secrets'>,
  siteId: string,
  to: Writable,
  onProgress: OnProgress = () => {},
): Promise<void> {
  await using staged = new AsyncDisposableStack();
  const open = async () => staged.use(await openUnnamedFile('export'));
  const { settings, files, media } = await takeSnapshot(deps, siteId, open, onProgress);
  // The mail key never changes once the site has a suppression, so it needs no snapshot.
  const mail_key = await readMailKey(deps, siteId);
  if (media.length > 0) await deps.media.check();
  const packed = [...packedMedia(deps.media, siteId, media), ...files.map(fromDisk)];
  await writeArchive({ ...settings, mail_key }, packed, to);
}

/** Lists media files for the archive. Their bytes never change, so each is read only when it is written. */
const packedMedia = (store: MediaStore, siteId: string, files: readonly ArchivedMediaFile[]): PackedFile[] =>
  files.map(({ id, size, sha256 }) => ({
    name: `${mediaFolder}${id}`,
    records: null,
    bytes: size,
    sha256,
    async open() {
      const content = await store.get(originalKey({ site_id: siteId, id }));
      if (content) return content;
      throw new ApiError('not_found', `the bytes of media ${id} are gone: delete it, or export again`);
    },
  }));

/** File of an archive, opened only when it is written. */
interface PackedFile extends ArchivedFile {
  open(): AsyncIterable<Buffer> | Promise<AsyncIterable<Buffer>>;
}

const fromDisk = ({ handle, ...file }: StagedFile): PackedFile => ({
  ...file,
  open: () => contentOf(handle),
});

/** Writes an archive. The same files always result in the same bytes, on every machine and day. */
async function writeArchive(settings: ArchivedSettings, files: readonly PackedFile[], to: Writable) {
  const manifest: ArchiveManifest = {
    format: 'creator-content-site',
    version: 1,
    ...settings,
    files: files.map(({ open: _, ...file }) => file),
  };
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  const first = { name: manifestName, bytes: text.length, open: () => Readable.from([text]) };
  const tar = pack();
  const packed = packAll(tar, [first, ...files]);
  packed.catch((error: Error) => tar.destroy(error));
  await pipeline(Readable.from(tar), inBlocks, createGzip(), withoutSystem(), to);
  await packed;
}

async function packAll(
  tar: ReturnType<typeof pack>,
  files: readonly Pick<PackedFile, 'name' | 'bytes' | 'open'>[],
) {
  for (const { name, bytes, open } of files) {
    const done = Promise.withResolvers<void>();
    const entry = tar.entry({ name, size: bytes, mode: 0o644, mtime: new Date(0) }, (error) =>
      error ? done.reject(error) : done.resolve(),
    );
    // If the receiver disconnects, the entry fails in several places. One error is enough.
    entry.on('error', done.reject);
    done.promise.catch(() => {});
    for await (const chunk of await open()) {
      if (!entry.write(chunk)) await waitForDrain(entry);
      if (entry.destroyed) throw new Error('the receiver of the archive has disconnected');
    }
    entry.end(null);
    await done.promise;
  }
  tar.finalize();
}

const blockBytes = 64 * 1024;

/** Compresses in blocks of a fixed size, so that chunk sizes do not affect the result. */
async function* inBlocks(chunks: AsyncIterable<Buffer>) {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    held.push(chunk);
    size += chunk.length;
    if (size < blockBytes) continue;
    const all = Buffer.concat(held);
    let at = 0;
    for (; at + blockBytes <= all.length; at += blockBytes) yield all.subarray(at, at + blockBytes);
    held = [all.subarray(at)];
    size -= at;
  }
  if (size > 0) yield Buffer.concat(held);
}

/** Offset of the operating system in a gzip header, and its value for "unknown". */
const system = { at: 9, unknown: 255 } as const;

function withoutSystem() {
  let passed = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const at = system.at - passed;
      if (at >= 0 && at < chunk.length) chunk[at] = system.unknown;
      passed += chunk.length;
      done(null, chunk);
    },
  });
}
