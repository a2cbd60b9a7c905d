/** Size of a tar file's blocks: what an entry holds is filled up to whole ones. */
export const blockBytes = 512;

/** What a header has room for: eleven octal digits. */
const mostBytes = 8 ** 11 - 1;

/** Two blocks of zeros, which end a tar file. */
export const tarEnd = new Uint8Array(2 * blockBytes);

/** What an entry of so many bytes takes besides its header. */
export const paddedBytes = (bytes: number) => Math.ceil(bytes / blockBytes) * blockBytes;

/** What fills it up to whole blocks. */
export const padding = (bytes: number) => new Uint8Array(paddedBytes(bytes) - bytes);

/** Where the fields of a header are (POSIX.1-1988, ustar), and their lengths. */
const fields = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  sum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
  prefix: [345, 155],
} as const;

/** What a header says besides the name and the size of its file. */
interface Attributes {
  mode: number;
  /** Seconds since the epoch. */
  modified: number;
  /** '0' is a file, 'x' what is said of the next entry. */
  type: '0' | 'x';
}

/** A file that only its owner may read, with no moment: the same content is the same bytes. */
const plain: Attributes = { mode: 0o600, modified: 0, type: '0' };

/** The header of an entry, without a user. Throws for a name or a size that the format has no room for. */
export function tarHeader(path: string, bytes: number, attributes = plain): Uint8Array<ArrayBuffer> {
  if (bytes > mostBytes) throw new Error(`${path} is too large for a tar file`);
  const parts = splitPath(path);
  if (!parts) throw new Error(`the path ${path} is too long for a tar file`);
  const header = new Uint8Array(blockBytes);
  const put = (field: keyof typeof fields, text: string) => header.set(encode(text), fields[field][0]);
  put('name', parts.name);
  put('mode', octal(attributes.mode, 7));
  put('uid', octal(0, 7));
  put('gid', octal(0, 7));
  put('size', octal(bytes, 11));
  put('mtime', octal(attributes.modified, 11));
  put('type', attributes.type);
  put('magic', 'ustar\u000000');
  put('prefix', parts.prefix);
  // The sum of all bytes, its own field taken for blanks.
  put('sum', ' '.repeat(8));
  const sum = header.reduce((total, byte) => total + byte, 0);
  put('sum', `${octal(sum, 6)}\0 `);
  return header;
}

/** What a header says; null for one that was not written by `tarHeader` of a plain file, or is damaged. */
export function readTarHeader(header: Uint8Array): { path: string; bytes: number } | null {
  const read = (field: keyof typeof fields) => {
    const [start, length] = fields[field];
    return new TextDecoder().decode(header.subarray(start, start + length)).replace(/\0.*$/s, '');
  };
  const [name, prefix, size] = [read('name'), read('prefix'), read('size')];
  const path = prefix === '' ? name : `${prefix}/${name}`;
  if (!/^[0-7]{11}$/.test(size) || path === '' || !splitPath(path)) return null;
  const bytes = Number.parseInt(size, 8);
  const written = tarHeader(path, bytes);
  return header.length === blockBytes && written.every((byte, at) => byte === header[at])
    ? { path, bytes }
    : null;
}

const encode = (text: string) => new TextEncoder().encode(text);

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');

/** A name has room for 100 bytes; what is longer is parted at a slash, with 155 bytes before it. Null where it can't be. */
export function splitPath(path: string): { prefix: string; name: string } | null {
  const fits = (text: string, field: 'name' | 'prefix') => encode(text).length <= fields[field][1];
  if (fits(path, 'name')) return { prefix: '', name: path };
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    const [prefix, name] = [path.slice(0, slash), path.slice(slash + 1)];
    if (fits(name, 'name') && fits(prefix, 'prefix')) return { prefix, name };
  }
  return null;
}
