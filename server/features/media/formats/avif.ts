import { damaged } from '../damaged.ts';
import type { FileReader } from '../file-reader.ts';
import { gatherPieces } from '../pieces.ts';
import { type Box, boxesIn, boxOf, createCursor } from './boxes.ts';
import type { Inspect } from './format.ts';

/** What describes a picture has some kilobytes. */
const longestMeta = 1024 * 1024;

/** Pictures are in a few pieces. One without a size takes no bytes to name, so their number is no matter of the file's length. */
const mostExtents = 10_000;

/** AVIF: the bytes of Exif and XMP become zeros, so that nothing else moves. How the picture is turned stands elsewhere. */
export const inspectAvif: Inspect = async (file) => {
  const top = await boxesIn(file, 0, file.size);
  const meta = boxOf(top, 'meta');
  if (meta.end - meta.body > longestMeta) throw damaged();
  const boxes = await boxesIn(file, meta.body + 4, meta.end);
  const read = async (type: string) => {
    const { body, end } = boxOf(boxes, type);
    return Buffer.from(await file.bytes(body, end - body));
  };
  const extents = locationsOf(await read('iloc'), boxes);
  for (const { to } of extents) if (to > file.size) throw damaged();
  const notes = notesOf(await read('iinf'));
  const zeroed = extents.filter(({ item, to, from }) => notes.has(item) && to > from);
  const gathered = gatherPieces();
  let at = 0;
  for (const { from, to } of zeroed.toSorted((a, b) => a.from - b.from)) {
    if (from < at) continue;
    gathered.keep(at, from);
    gathered.put(Buffer.alloc(to - from));
    at = to;
  }
  gathered.keep(at, file.size);
  return { ...(await sizeOf(file, boxOf(boxes, 'iprp'), await read('pitm'))), pieces: gathered.pieces };
};

interface Extent {
  item: number;
  from: number;
  to: number;
}

/** Where the bytes of each item are (ISO 14496-12, 8.11.3). */
function locationsOf(iloc: Buffer, boxes: readonly Box[]): Extent[] {
  const cursor = createCursor(iloc);
  const version = cursor.number(1);
  cursor.number(3);
  const [sizes, more] = [cursor.number(1), cursor.number(1)];
  const size = {
    offset: sizes >> 4,
    length: sizes & 15,
    base: more >> 4,
    index: version > 0 ? more & 15 : 0,
  };
  if (![size.offset, size.length, size.base, size.index].every((bytes) => [0, 4, 8].includes(bytes)))
    throw damaged();
  const inside = boxes.find(({ type }) => type === 'idat')?.body ?? 0;
  const extents: Extent[] = [];
  for (let items = cursor.number(version < 2 ? 2 : 4); items > 0; items -= 1) {
    const item = cursor.number(version < 2 ? 2 : 4);
    const method = version > 0 ? cursor.number(2) & 15 : 0;
    cursor.number(2);
    const base = cursor.number(size.base) + (method === 1 ? inside : 0);
    for (let count = cursor.number(2); count > 0; count -= 1) {
      if (extents.length >= mostExtents) throw damaged();
      cursor.number(size.index);
      const from = base + cursor.number(size.offset);
      extents.push({ item, from, to: from + cursor.number(size.length) });
    }
  }
  return extents;
}

/** The items that are notes about the picture. */
function notesOf(iinf: Buffer): Set<number> {
  const cursor = createCursor(iinf);
  const wide = cursor.number(1) > 0;
  cursor.number(3);
  cursor.number(wide ? 4 : 2);
  const notes = new Set<number>();
  while (!cursor.isAtEnd()) {
    const entry = createCursor(Buffer.from(cursor.text(cursor.number(4) - 4), 'latin1'));
    entry.number(4);
    const version = entry.number(1);
    entry.number(3);
    const item = entry.number(version < 3 ? 2 : 4);
    entry.number(2);
    const type = entry.text(4);
    if (type === 'Exif' || type === 'mime') notes.add(item);
  }
  return notes;
}

/** The size that the properties of the main item tell, as it is shown. */
async function sizeOf(file: FileReader, iprp: Box, pitm: Buffer) {
  const primary = createCursor(pitm);
  const isShort = primary.number(1) === 0;
  primary.number(3);
  const main = primary.number(isShort ? 2 : 4);
  const groups = await boxesIn(file, iprp.body, iprp.end);
  const container = boxOf(groups, 'ipco');
  const properties = await boxesIn(file, container.body, container.end);
  const { body, end } = boxOf(groups, 'ipma');
  const wanted = associationsOf(Buffer.from(await file.bytes(body, end - body)), main);
  const own = wanted.flatMap((index) => properties[index - 1] ?? []);
  const size = createCursor(await file.bytes(boxOf(own, 'ispe').body, 12));
  size.number(4);
  const [width, height] = [size.number(4), size.number(4)];
  const rotation = own.find(({ type }) => type === 'irot');
  const quarters = rotation ? ((await file.bytes(rotation.body, 1))[0] ?? 0) & 3 : 0;
  return quarters % 2 === 1 ? { width: height, height: width } : { width, height };
}

/** Which properties belong to `wanted` (ISO 23008-12, 9.3.1). */
function associationsOf(ipma: Buffer, wanted: number): number[] {
  const cursor = createCursor(ipma);
  const version = cursor.number(1);
  const isWide = (cursor.number(3) & 1) === 1;
  for (let entries = cursor.number(4); entries > 0; entries -= 1) {
    const item = cursor.number(version < 1 ? 2 : 4);
    const indexes = Array.from({ length: cursor.number(1) }, () =>
      isWide ? cursor.number(2) & 0x7fff : cursor.number(1) & 0x7f,
    );
    if (item === wanted) return indexes;
  }
  throw damaged();
}
