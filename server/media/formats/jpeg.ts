import { exifOf, orientationOf, turned } from '../orientation.ts';
import { createPieceList, damaged, type FileReader, type Inspect } from './format.ts';

const marker = { start: 0xd8, end: 0xd9, scan: 0xda, app0: 0xe0, exif: 0xe1, icc: 0xe2, adobe: 0xee };

/**
 * Returns the size of a JPEG in pixels, as shown, and the pieces to store: without Exif, XMP, captions, comments, and data
 * after the image. Color profiles stay. The orientation is kept in a new Exif segment. Throws `media_damaged` for an
 * incomplete file.
 */
export const inspectJpeg: Inspect = async (file) => {
  const kept = createPieceList();
  let orientation = 1;
  let size: { width: number; height: number } | undefined;
  let scans = 0;
  if ((await code(file, 0)) !== marker.start) throw damaged();
  kept.keep(0, 2);
  for (let at = 2; ; ) {
    file.countPart();
    const found = await code(file, at);
    if (found === marker.end) {
      kept.keep(at, at + 2);
      break;
    }
    const length = (await file.bytes(at + 2, 2)).readUInt16BE();
    const end = at + 2 + length;
    if (length < 2 || end > file.size) throw damaged();
    if (isFrame(found)) size = await frameSize(file, at);
    const exif = found === marker.exif ? await exifAt(file, at, end) : null;
    if (exif && orientation === 1) {
      orientation = orientationOf(exif);
      if (orientation !== 1) kept.put(exifSegment(orientation));
    } else if (await isKept(file, found, at)) kept.keep(at, end);
    if (found === marker.scan) scans += 1;
    at = found === marker.scan ? await endOfScan(file, end) : await skipFill(file, end);
    if (found === marker.scan) kept.keep(end, at);
  }
  if (!size || scans === 0) throw damaged();
  return { ...turned(orientation, size), pieces: kept.pieces };
};

/** Returns the second byte of the marker at the offset `at`. Throws `media_damaged` if there is no marker. */
async function code(file: FileReader, at: number): Promise<number> {
  const bytes = await file.bytes(at, 2);
  if (bytes[0] !== 0xff) throw damaged();
  return bytes[1] ?? 0;
}

/**
 * Returns the offset of the marker after fill bytes, which are any number of 0xff. Throws `media_damaged` at the end of
 * the file.
 */
async function skipFill(file: FileReader, at: number): Promise<number> {
  for (let from = at; ; ) {
    const bytes = await file.some(from);
    if (bytes.length < 2) throw damaged();
    let position = 0;
    while (position + 1 < bytes.length && bytes[position] === 0xff && bytes[position + 1] === 0xff)
      position += 1;
    if (position + 1 < bytes.length) return from + position;
    from += position;
  }
}

/**
 * Returns the offset of the marker that ends a scan. Within it, 0xff before a zero or a restart code is data. Throws
 * `media_damaged` if there is none.
 */
async function endOfScan(file: FileReader, from: number): Promise<number> {
  for (let at = from; at < file.size - 1; ) {
    const bytes = await file.some(at);
    let position = bytes.indexOf(0xff);
    while (position >= 0 && position + 1 < bytes.length) {
      const next = bytes[position + 1] ?? 0;
      if (isMarker(next)) return at + position;
      position += next === 0xff ? 1 : 2;
      // A call of `indexOf` takes longer than a comparison, and a scan may consist of 0xff and 0.
      if (bytes[position] !== 0xff) position = bytes.indexOf(0xff, position);
    }
    at += position < 0 ? bytes.length : position;
  }
  throw damaged();
}

const isMarker = (next: number) => next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7);

/** Returns true for SOF0 to SOF15. Three codes in this range have another meaning. */
const isFrame = (found: number) => found >= 0xc0 && found <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(found);

async function frameSize(file: FileReader, at: number) {
  const bytes = await file.bytes(at + 5, 4);
  return { height: bytes.readUInt16BE(0), width: bytes.readUInt16BE(2) };
}

async function exifAt(file: FileReader, at: number, end: number): Promise<Buffer | null> {
  const bytes = await file.bytes(at + 4, end - at - 4);
  return bytes.subarray(0, 6).toString('latin1') === 'Exif\0\0' ? bytes : null;
}

/** Returns true for segments that decoders need. `found` is the marker's code, and `at` its offset. */
async function isKept(file: FileReader, found: number, at: number): Promise<boolean> {
  const isApplication = found >= 0xe0 && found <= 0xef;
  if (!isApplication) return found !== 0xfe;
  if (found === marker.app0 || found === marker.adobe) return true;
  return found === marker.icc && (await file.bytes(at + 4, 11)).toString('latin1') === 'ICC_PROFILE';
}

function exifSegment(orientation: number): Buffer {
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exifOf(orientation)]);
  const head = Buffer.from([0xff, marker.exif, 0, exif.length + 2]);
  return Buffer.concat([head, exif]);
}
