import { crc32, deflateRawSync } from 'node:zlib';

interface ZipOptions {
  /** Size that the central directory states for each file; the real one if omitted. */
  claimedSize?: number;
  /** True if names lack the UTF-8 flag, as in archives of macOS. */
  isUnflagged?: boolean;
}

/** Creates a zip archive of these files, each compressed. */
export function zipOf(
  files: Readonly<Record<string, string | Buffer>>,
  { claimedSize, isUnflagged = false }: ZipOptions = {},
): Buffer {
  const pieces: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const size = claimedSize ?? bytes.length;
    const common = fields(
      [2, 20],
      [2, isUnflagged ? 0 : 0x0800],
      [2, 8],
      [2, 0],
      [2, 0x5a21],
      [4, crc32(bytes)],
      [4, packed.length],
    );
    const sizes = fields([4, size], [2, Buffer.byteLength(name)], [2, 0]);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, sizes, Buffer.from(name)]);
    const rest = fields([2, 0], [2, 0], [2, 0], [4, 0], [4, at]);
    list.push(
      Buffer.concat([Buffer.from('PK\u0001\u0002'), fields([2, 20]), common, sizes, rest, Buffer.from(name)]),
    );
    pieces.push(local, packed);
    at += local.length + packed.length;
  }
  const central = Buffer.concat(list);
  const end = fields(
    [2, 0],
    [2, 0],
    [2, list.length],
    [2, list.length],
    [4, central.length],
    [4, at],
    [2, 0],
  );
  return Buffer.concat([...pieces, central, Buffer.from('PK\u0005\u0006'), end]);
}

/** Writes numbers with this many bytes each, the lowest byte first. */
const fields = (...each: readonly [bytes: number, value: number][]) =>
  Buffer.concat(
    each.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );
