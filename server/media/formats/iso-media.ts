import { createPieceList, damaged, type FileReader, type Inspect } from './format.ts';

/** Box of an ISO media file (AVIF, MP4, QuickTime). */
interface Box {
  type: string;
  /** Offsets in the file, in bytes, of the box, its content, and its end. */
  at: number;
  body: number;
  end: number;
}

/** Returns adjacent boxes from `from` to `to`. Throws `media_damaged` if one exceeds the range. */
async function boxesIn(file: FileReader, from: number, to: number): Promise<Box[]> {
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= to; ) {
    file.countPart();
    const head = await file.bytes(at, 8);
    const short = head.readUInt32BE();
    const isLong = short === 1;
    const size = isLong ? Number((await file.bytes(at + 8, 8)).readBigUInt64BE()) : short || to - at;
    const body = at + (isLong ? 16 : 8);
    if (at + size > to || at + size < body) throw damaged();
    boxes.push({ type: head.toString('latin1', 4, 8), at, body, end: at + size });
    at += size;
  }
  return boxes;
}

/** Returns the first box of this type. Throws `media_damaged` if there is none. */
function boxOf(boxes: readonly Box[], type: string): Box {
  const found = boxes.find((box) => box.type === type);
  if (!found) throw damaged();
  return found;
}

/**
 * Reads big-endian numbers and texts in sequence. Sizes are in bytes: 0 to 6, or 8; a number of size 0 is 0. Numbers
 * beyond the end throw `media_damaged`.
 */
function createCursor(bytes: Buffer) {
  let at = 0;
  const number = (size: number): number => {
    if (at + size > bytes.length) throw damaged();
    // A number represents six bytes exactly. Offsets in files are smaller.
    const value =
      size === 8 ? Number(bytes.readBigUInt64BE(at)) : size === 0 ? 0 : bytes.readUIntBE(at, size);
    at += size;
    return value;
  };
  return {
    number,
    text: (size: number) => {
      const from = at;
      number(0);
      at += size;
      return bytes.toString('latin1', from, at);
    },
    isAtEnd: () => at >= bytes.length,
  };
}

/** Boxes in which cameras store their location and model. */
const notes = ['udta', 'meta', 'uuid'];

/**
 * Returns the pieces of an MP4 or QuickTime file to store; its size is null. Metadata boxes become free space, so that no
 * offset changes. Throws `media_damaged` for an incomplete file.
 */
export const inspectMovie: Inspect = async (file) => {
  const top = await boxesIn(file, 0, file.size);
  const found = await notesIn(file, top, boxOf(top, 'moov'));
  const pieceList = createPieceList();
  let at = 0;
  for (const box of found.toSorted((a, b) => a.at - b.at)) {
    pieceList.keep(at, box.at + 4);
    pieceList.put(Buffer.from('free', 'latin1'));
    pieceList.keep(box.at + 8, box.body);
    pieceList.put({ zeros: box.end - box.body });
    at = box.end;
  }
  pieceList.keep(at, file.size);
  return { width: null, height: null, pieces: pieceList.pieces };
};

/** Finds metadata boxes of the file, the movie, and each track. */
async function notesIn(file: FileReader, top: readonly Box[], movie: Box): Promise<Box[]> {
  const found = [...top];
  for (const box of await boxesIn(file, movie.body, movie.end)) {
    found.push(box);
    if (box.type === 'trak') found.push(...(await boxesIn(file, box.body, box.end)));
  }
  return found.filter(({ type }) => notes.includes(type));
}

/** Maximum size of the `meta` box in bytes. Usual ones have some kilobytes. */
const maxMetaBytes = 1024 * 1024;

/**
 * Maximum number of extents. Images have few, but empty extents take no space, so the file's size does not limit their
 * number.
 */
const maxExtents = 10_000;

/**
 * Returns the size of an AVIF in pixels and the pieces to store. The bytes of Exif and XMP become zeros, so that no offset
 * changes. The orientation stays, because it is stored elsewhere. Throws `media_damaged` for an incomplete file.
 */
export const inspectAvif: Inspect = async (file) => {
  const top = await boxesIn(file, 0, file.size);
  const meta = boxOf(top, 'meta');
  if (meta.end - meta.body > maxMetaBytes) throw damaged();
  const boxes = await boxesIn(file, meta.body + 4, meta.end);
  const read = async (type: string) => {
    const { body, end } = boxOf(boxes, type);
    return Buffer.from(await file.bytes(body, end - body));
  };
  const extents = locationsOf(await read('iloc'), boxes);
  for (const { to } of extents) if (to > file.size) throw damaged();
  const notes = notesOf(await read('iinf'));
  const zeroed = extents.filter(({ item, to, from }) => notes.has(item) && to > from);
  const pieceList = createPieceList();
  let at = 0;
  for (const { from, to } of zeroed.toSorted((a, b) => a.from - b.from)) {
    if (from < at) continue;
    pieceList.keep(at, from);
    pieceList.put(Buffer.alloc(to - from));
    at = to;
  }
  pieceList.keep(at, file.size);
  return { ...(await sizeOf(file, boxOf(boxes, 'iprp'), await read('pitm'))), pieces: pieceList.pieces };
};

/**
 * Returns the extents of each item, as byte offsets (ISO 14496-12, 8.11.3). `iloc` is the content of that box. Throws
 * `media_damaged` if it is malformed or has too many.
 */
function locationsOf(iloc: Buffer, boxes: readonly Box[]) {
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
  const extents: { item: number; from: number; to: number }[] = [];
  for (let items = cursor.number(version < 2 ? 2 : 4); items > 0; items -= 1) {
    const item = cursor.number(version < 2 ? 2 : 4);
    const method = version > 0 ? cursor.number(2) & 15 : 0;
    cursor.number(2);
    const base = cursor.number(size.base) + (method === 1 ? inside : 0);
    for (let count = cursor.number(2); count > 0; count -= 1) {
      if (extents.length >= maxExtents) throw damaged();
      cursor.number(size.index);
      const from = base + cursor.number(size.offset);
      extents.push({ item, from, to: from + cursor.number(size.length) });
    }
  }
  return extents;
}

/** Returns the IDs of the items that contain Exif or XMP. `iinf` is the content of that box. */
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

/** Returns width and height of the main item as shown, in pixels, after its rotation. */
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

/**
 * Returns the indexes of the properties of item `wanted`, counted from 1 (ISO 23008-12, 9.3.1). Throws `media_damaged`
 * if the item is missing.
 */
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
