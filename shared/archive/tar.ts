/** Size of a tar file's blocks, in bytes. The content of an entry is padded to whole blocks. */
export const blockBytes = 512;

/** Maximum size of an entry, in bytes: a header has room for eleven octal digits. */
const maxBytes = 8 ** 11 - 1;

/** End of a tar file: two blocks of zeros. */
export const tarEnd = new Uint8Array(2 * blockBytes);

/**
 * Returns the bytes that the content of an entry occupies in the file: `bytes`, rounded up to whole blocks. The header is
 * not included.
 */
export const paddedBytes = (bytes: number) => Math.ceil(bytes / blockBytes) * blockBytes;

/** Returns the zeros that fill the content up to whole blocks. */
export const padding = (bytes: number) => new Uint8Array(paddedBytes(bytes) - bytes);

/** Offset and length of the fields of a header, in bytes (POSIX.1-1988, ustar). */
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

/** Values of a header, other than the name and size. */
interface Attributes {
  mode: number;
  /** Modification time, in seconds since the epoch. */
  modified: number;
  /** Type of the entry: '0' is a file, 'x' contains attributes of the next entry. */
  type: '0' | 'x';
}

/** Attributes of a file that only its owner may read. The time is constant, so that equal content gives equal bytes. */
const plain: Attributes = { mode: 0o600, modified: 0, type: '0' };

/**
 * Returns the header of an entry, without a user. Throws an `Error` if the format has no room for the path or the
 * size.
 */
export function tarHeader(path: string, bytes: number, attributes = plain): Uint8Array<ArrayBuffer> {
  if (bytes > maxBytes) throw new Error(`${path} is too large for a tar file`);
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
  // The checksum is the sum of all bytes, with spaces in its own field.
  put('sum', ' '.repeat(8));
  const sum = header.reduce((total, byte) => total + byte, 0);
  put('sum', `${octal(sum, 6)}\0 `);
  return header;
}

/** Reads a header. Null if it is damaged, or was not written by `tarHeader` with default attributes. */
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

/**
 * Splits a path into the header's fields: at most 100 bytes for the name, and at most 155 before a slash. Null if it
 * does not fit.
 */
export function splitPath(path: string): { prefix: string; name: string } | null {
  const fits = (text: string, field: 'name' | 'prefix') => encode(text).length <= fields[field][1];
  if (fits(path, 'name')) return { prefix: '', name: path };
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    const [prefix, name] = [path.slice(0, slash), path.slice(slash + 1)];
    if (fits(name, 'name') && fits(prefix, 'prefix')) return { prefix, name };
  }
  return null;
}
