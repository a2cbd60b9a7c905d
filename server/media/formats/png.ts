import { crc32 } from 'node:zlib';
import { exifOf, maxExifBytes, orientationOf, turned } from '../orientation.ts';
import { createPieceList, damaged, type Inspect } from './format.ts';

const signature = '\x89PNG\r\n\x1a\n';

/**
 * Chunks that are kept, because they affect the image's appearance. All others are removed: texts, times, EXIF data and
 * unknown chunks. A rotation in the EXIF data is written to a new chunk.
 */
const kept = new Set(
  'IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB bKGD pHYs acTL fcTL fdAT cICP mDCV cLLI'.split(' '),
);

/**
 * Returns the size of a PNG or APNG in pixels, as shown, and the pieces to store: without metadata, and without data after
 * the image. The orientation stays. Throws `media_damaged` for an incomplete file.
 */
export const inspectPng: Inspect = async (file) => {
  if ((await file.bytes(0, 8)).toString('latin1') !== signature) throw damaged();
  const pieceList = createPieceList();
  pieceList.keep(0, 8);
  let size: { width: number; height: number } | undefined;
  let orientation = 1;
  for (let at = 8, type = ''; type !== 'IEND'; ) {
    file.countPart();
    const head = await file.bytes(at, 8);
    const length = head.readUInt32BE();
    type = head.toString('latin1', 4);
    const end = at + 12 + length;
    if (end > file.size || (size === undefined) !== (type === 'IHDR')) throw damaged();
    if (type === 'IHDR') {
      const bytes = await file.bytes(at + 8, 8);
      size = { width: bytes.readUInt32BE(0), height: bytes.readUInt32BE(4) };
    }
    if (type === 'eXIf' && length <= maxExifBytes && orientation === 1) {
      orientation = orientationOf(await file.bytes(at + 8, length));
      if (orientation !== 1) pieceList.put(exifChunk(orientation));
    }
    if (kept.has(type)) pieceList.keep(at, end);
    at = end;
  }
  if (!size) throw damaged();
  return { ...turned(orientation, size), pieces: pieceList.pieces };
};

function exifChunk(orientation: number): Buffer {
  const data = Buffer.concat([Buffer.from('eXIf', 'latin1'), exifOf(orientation)]);
  const chunk = Buffer.alloc(data.length + 8);
  chunk.writeUInt32BE(data.length - 4);
  data.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(data), data.length + 4);
  return chunk;
}
