/** Size of a tar file's blocks: what an entry holds is filled up to whole ones. */
export const blockBytes = 512;

/** What a header has room for: eleven octal digits. */
const mostBytes = 8 ** 11 - 1;

/** Two blocks of zeros, which end a tar file. */
export const tarEnd = Buffer.alloc(2 * blockBytes);

/** What an entry of so many bytes takes besides its header. */
export const paddedBytes = (bytes: number) => Math.ceil(bytes / blockBytes) * blockBytes;

/** What fills it up to whole blocks. */
export const padding = (bytes: number) => Buffer.alloc(paddedBytes(bytes) - bytes);

/** Where the fields of a header are (POSIX.1-1988, ustar). */
const at = {
  name: 0,
  mode: 100,
  uid: 108,
  gid: 116,
  size: 124,
  mtime: 136,
  sum: 148,
  type: 156,
  magic: 257,
  prefix: 345,
};

/**
 * The header of a file that only its owner may read. It holds no moment and no user: the same content is the same bytes.
 * Throws for a name or a size that the format has no room for.
 */
export function tarHeader(path: string, bytes: number): Buffer {
  if (bytes > mostBytes) throw new Error(`${path} is too large for a tar file`);
  const { prefix, name } = splitPath(path);
  const header = Buffer.alloc(blockBytes);
  const put = (field: keyof typeof at, text: string) => header.write(text, at[field], 'utf8');
  put('name', name);
  put('mode', '0000600\0');
  put('uid', '0000000\0');
  put('gid', '0000000\0');
  put('size', `${octal(bytes, 11)}\0`);
  put('mtime', `${octal(0, 11)}\0`);
  put('type', '0');
  put('magic', 'ustar\u000000');
  put('prefix', prefix);
  put('sum', `${octal(checksum(header), 6)}\0 `);
  return header;
}

/** What a header says; null for one that was not written by `tarHeader`, or is damaged. */
export function readTarHeader(header: Buffer): { path: string; bytes: number } | null {
  const text = (from: number, length: number) => {
    const field = header.subarray(from, from + length);
    const end = field.indexOf(0);
    return field.toString('utf8', 0, end < 0 ? length : end);
  };
  const [name, prefix, size] = [text(at.name, 100), text(at.prefix, 155), text(at.size, 12)];
  const path = prefix === '' ? name : `${prefix}/${name}`;
  const bytes = Number.parseInt(size, 8);
  if (!/^[0-7]{11}$/.test(size) || path === '' || !tarHeader(path, bytes).equals(header)) return null;
  return { path, bytes };
}

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');

/** The sum of a header's bytes, its own field taken for blanks. */
function checksum(header: Buffer): number {
  const copy = Buffer.from(header).fill(' ', at.sum, at.sum + 8);
  return copy.reduce((sum, byte) => sum + byte, 0);
}

/** A name has room for 100 bytes; what is longer is parted at a slash, with 155 bytes before it. */
function splitPath(path: string): { prefix: string; name: string } {
  if (Buffer.byteLength(path) <= 100) return { prefix: '', name: path };
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    const [prefix, name] = [path.slice(0, slash), path.slice(slash + 1)];
    if (Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155) return { prefix, name };
  }
  throw new Error(`the path ${path} is too long for a tar file`);
}
