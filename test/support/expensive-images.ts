import type { MediaType } from '../../shared/contract/features/media.ts';

/** Returns a function that writes numbers with this many bytes, the highest byte first. */
const number = (bytes: 1 | 2 | 4) => (value: number) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};

/** Creates a box of an ISO media file. */
export function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([number(4)(body.length + 8), Buffer.from(type, 'latin1'), body]);
}

/** Repeats a piece up to `size` bytes, at least 1. */
export const filled = (piece: Buffer, size: number) => Buffer.alloc(Math.max(size, 1), piece);

const u32 = number(4);
const u16 = number(2);
const ascii = (text: string) => Buffer.from(text, 'latin1');
const many = (piece: Buffer) => (size: number) => filled(piece, size);

const avif = (iloc: Buffer, iinf = Buffer.alloc(6)) =>
  Buffer.concat([
    box('ftyp', ascii('avif\0\0\0\0')),
    box('meta', u32(0), box('pitm', u32(0), u16(1)), box('iloc', iloc), box('iinf', iinf)),
  ]);

/** Item with many pieces that take no bytes. */
const emptyItem = Buffer.concat([u16(1), u16(0), u16(65_535)]);
const pngHead = Buffer.concat([ascii('\x89PNG\r\n\x1a\n'), u32(13), ascii('IHDR'), filled(u32(1), 17)]);
const webp = (chunks: Buffer) => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(chunks.length + 4);
  return Buffer.concat([ascii('RIFF'), length, ascii('WEBP'), chunks]);
};
const gifHead = Buffer.concat([ascii('GIF89a'), Buffer.from([1, 0, 1, 0, 0, 0, 0])]);
const jpeg = (...parts: Buffer[]) => Buffer.concat([Buffer.from([0xff, 0xd8]), ...parts]);
const exif = Buffer.concat([
  Buffer.from([0xff, 0xe1, 0xff, 0xff]),
  filled(ascii('Exif\0\0II*\0\x08\0\0\0\xff\xff'), 0xfffd),
]);

/** Files that are expensive to examine, with about `size` bytes. */
export const expensiveImages: [MediaType, string, (size: number) => Buffer][] = [
  [
    'image/avif',
    'items of empty pieces',
    (size) => avif(Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 0]), u16(65_535), filled(emptyItem, size)])),
  ],
  [
    'image/avif',
    'items in pieces',
    (size) =>
      avif(
        Buffer.concat([
          Buffer.from([0, 0, 0, 0, 0x44, 0]),
          u16(1),
          u16(1),
          u16(0),
          u16(65_535),
          filled(u32(1), size),
        ]),
      ),
  ],
  [
    'image/avif',
    'items that are told of',
    (size) =>
      avif(
        Buffer.from([0, 0, 0, 0, 0, 0, 0, 0]),
        Buffer.concat([
          Buffer.alloc(6),
          filled(box('infe', u32(0x02000000), u16(1), u16(0), ascii('Exif')), size),
        ]),
      ),
  ],
  ['image/avif', 'boxes', many(box('free'))],
  ['video/mp4', 'boxes', (size) => Buffer.concat([box('moov'), filled(box('free'), size)])],
  [
    'video/mp4',
    'tracks of boxes',
    (size) => box('moov', ...Array.from({ length: 100 }, () => box('trak', filled(box('udta'), size / 100)))),
  ],
  ['video/mp4', 'tracks', (size) => box('moov', filled(box('trak', box('udta')), size))],
  [
    'image/png',
    'chunks',
    (size) => Buffer.concat([pngHead, filled(Buffer.concat([u32(0), ascii('IDAT'), u32(0)]), size)]),
  ],
  [
    'image/png',
    'chunks that go',
    (size) => Buffer.concat([pngHead, filled(Buffer.concat([u32(0), ascii('tEXt'), u32(0)]), size)]),
  ],
  ['image/webp', 'chunks', (size) => webp(filled(Buffer.concat([ascii('ANMF'), u32(0)]), size))],
  ['image/webp', 'chunks that go', (size) => webp(filled(Buffer.concat([ascii('junk'), u32(0)]), size))],
  [
    'image/gif',
    'pieces of a byte',
    (size) => Buffer.concat([gifHead, Buffer.from([0x21, 0xfe]), filled(Buffer.from([1, 7]), size)]),
  ],
  ['image/gif', 'comments', (size) => Buffer.concat([gifHead, filled(Buffer.from([0x21, 0xfe, 0]), size)])],
  ['image/jpeg', 'fill', (size) => jpeg(Buffer.from([0xff, 0xe0, 0, 2]), Buffer.alloc(size, 0xff))],
  ['image/jpeg', 'segments', (size) => jpeg(filled(Buffer.from([0xff, 0xe0, 0, 2]), size))],
  ['image/jpeg', 'segments that go', (size) => jpeg(filled(Buffer.from([0xff, 0xfe, 0, 2]), size))],
  ['image/jpeg', 'scans', (size) => jpeg(filled(Buffer.from([0xff, 0xda, 0, 2, 7]), size))],
  [
    'image/jpeg',
    'a scan of near-markers',
    (size) => jpeg(Buffer.from([0xff, 0xda, 0, 2]), filled(Buffer.from([0xff, 0]), size)),
  ],
  ['image/jpeg', 'what cameras note', (size) => jpeg(filled(exif, size))],
];
