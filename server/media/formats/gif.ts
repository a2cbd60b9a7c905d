import { createPieceList, damaged, type FileReader, type Inspect } from './format.ts';

const block = { extension: 0x21, image: 0x2c, trailer: 0x3b };
const extension = { comment: 0xfe, application: 0xff };

/** Application extensions that contain the repetitions of an animation. */
const kept = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0']);

/**
 * Returns the size of a GIF in pixels and the pieces to store: without comments, application data, and data after the
 * image. Throws `media_damaged` for an incomplete file.
 */
export const inspectGif: Inspect = async (file) => {
  const head = await file.bytes(0, 13);
  const size = { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
  const pieceList = createPieceList();
  let at = 13 + colours(head[10]);
  let images = 0;
  pieceList.keep(0, at);
  for (;;) {
    file.countPart();
    const [type, label] = await file.bytes(at, at + 1 < file.size ? 2 : 1);
    if (type === block.trailer) break;
    const body = type === block.extension ? at + 2 : type === block.image ? await imageData(file, at) : 0;
    if (body === 0) throw damaged();
    if (type === block.image) images += 1;
    const end = await endOfData(file, body);
    if (type === block.image || (await isKept(file, label, at))) pieceList.keep(at, end);
    at = end;
  }
  pieceList.keep(at, at + 1);
  if (images === 0) throw damaged();
  return { ...size, pieces: pieceList.pieces };
};

/** Returns the size of the color table that the flags announce, in bytes. */
const colours = (flags = 0) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Returns the offset of an image's data, after its color table and code size. `at` is the offset of its descriptor. */
async function imageData(file: FileReader, at: number): Promise<number> {
  const descriptor = await file.bytes(at, 10);
  return at + 11 + colours(descriptor[9]);
}

/** Returns the end of a series of sub-blocks: up to 255 bytes per block, and an empty last one. */
async function endOfData(file: FileReader, from: number): Promise<number> {
  for (let at = from; ; ) {
    const bytes = await file.some(at);
    let position = 0;
    while (position < bytes.length) {
      const length = bytes[position] ?? 0;
      position += 1 + length;
      if (length === 0) return at + position;
    }
    at += position;
  }
}

async function isKept(file: FileReader, label: number | undefined, at: number): Promise<boolean> {
  if (label === extension.comment) return false;
  if (label !== extension.application) return true;
  return kept.has((await file.bytes(at + 3, 11)).toString('latin1'));
}
