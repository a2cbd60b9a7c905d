import { exifOf, maxExifBytes, orientationOf, turned } from '../orientation.ts';
import { createPieceList, damaged, type FileReader, type Inspect, lengthOf } from './format.ts';

/** Chunks that affect the image's appearance. */
const kept = new Set(['VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);

/** Flags of `VP8X` that announce metadata chunks. */
const flag = { xmp: 0x04, exif: 0x08 };

/**
 * Returns the size of a WebP in pixels, as shown, and the pieces to store: without Exif, XMP, unknown chunks, and data
 * after the image. The orientation stays. Throws `media_damaged` for an incomplete file.
 */
export const inspectWebp: Inspect = async (file) => {
  const riffEnd = 8 + (await file.bytes(0, 12)).readUInt32LE(4);
  if (riffEnd > file.size) throw damaged();
  const chunks = createPieceList();
  let size: { width: number; height: number } | undefined;
  let orientation = 1;
  let header: Buffer | undefined;
  let images = 0;
  for (let at = 12; at + 8 <= riffEnd; ) {
    file.countPart();
    const head = await file.bytes(at, 8);
    const [type, length] = [head.toString('latin1', 0, 4), head.readUInt32LE(4)];
    const end = at + 8 + length + (length % 2);
    if (end > riffEnd + 1 || at + 8 + length > riffEnd) throw damaged();
    if (type === 'VP8X') header = Buffer.from(await file.bytes(at, 18));
    if (type === 'EXIF' && length <= maxExifBytes)
      orientation = orientationOf(await file.bytes(at + 8, length));
    size ??= await sizeOf(file, type, at + 8);
    if (kept.has(type)) chunks.keep(at, Math.min(end, file.size));
    if (type === 'VP8 ' || type === 'VP8L' || type === 'ANMF') images += 1;
    at = end;
  }
  if (!size || images === 0) throw damaged();
  const exif = header && orientation !== 1 ? [exifChunk(orientation)] : [];
  const extended = header ? [withFlags(header, exif.length > 0)] : [];
  const body = [...extended, ...chunks.pieces, ...exif];
  return { ...turned(header ? orientation : 1, size), pieces: [riff(lengthOf(body)), ...body] };
};

async function sizeOf(file: FileReader, type: string, at: number) {
  if (type === 'VP8X') {
    const bytes = await file.bytes(at, 10);
    return { width: bytes.readUIntLE(4, 3) + 1, height: bytes.readUIntLE(7, 3) + 1 };
  }
  if (type === 'VP8 ') {
    const bytes = await file.bytes(at, 10);
    return { width: bytes.readUInt16LE(6) & 0x3fff, height: bytes.readUInt16LE(8) & 0x3fff };
  }
  if (type !== 'VP8L') return undefined;
  const bits = (await file.bytes(at, 5)).readUInt32LE(1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function withFlags(header: Buffer, hasExif: boolean): Buffer {
  const flags = (header[8] ?? 0) & ~flag.xmp & ~flag.exif;
  header[8] = hasExif ? flags | flag.exif : flags;
  return header;
}

function riff(bodyBytes: number): Buffer {
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1');
  head.writeUInt32LE(bodyBytes + 4, 4);
  return head;
}

function exifChunk(orientation: number): Buffer {
  const data = exifOf(orientation);
  const head = Buffer.from('EXIF\0\0\0\0', 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data]);
}
