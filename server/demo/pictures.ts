import { readdir, readFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { Readable } from 'node:stream';
import { examine } from '../features/media/examine.ts';
import { receive } from '../features/media/receive.ts';
import { storeFile, updateMedia } from '../features/media/store.ts';
import type { DemoSite } from './backdate.ts';

/** Drawn for this project, under its licence; each says what it shows. */
const folder = join(import.meta.dirname, 'pictures');

const wait = { stalledMs: 30_000, longestMs: 60_000, leastBytesPerSecond: 1 } as const;

/** Draws the example's pictures into media, and gives their ids and addresses by their names. */
export async function fillPictures(site: DemoSite) {
  const { deps, siteId } = site;
  // Loaded by nobody who has a site already.
  const { default: sharp } = await import('sharp');
  const kept = new Map<string, { id: string; url: string }>();
  for (const file of await readdir(folder)) {
    const drawing = await readFile(join(folder, file));
    const { name } = parse(file);
    const bytes = await sharp(drawing).jpeg({ quality: 84 }).toBuffer();
    const { id, url } = await keepPicture(site, `${name}.jpg`, bytes);
    const [, alt = ''] = /<title>(.*?)<\/title>/.exec(drawing.toString()) ?? [];
    await updateMedia({ deps, siteId }, { id, alt });
    kept.set(name, { id, url: deps.config.publicUrl.origin + url });
  }
  return kept;
}

function keepPicture({ deps, siteId }: DemoSite, name: string, bytes: Buffer) {
  const incoming = { name, content: Readable.from([bytes]), ended: async () => {} };
  return receive(incoming, { mostBytes: bytes.length, wait }, async (received) => {
    const examined = await examine(deps.offload, siteId, received);
    return (await storeFile(deps, examined, { siteId, plan: null, name })).file;
  });
}
