/** Writes numbers of so many bytes, the highest first. */
export const number = (bytes: 1 | 2 | 4) => (value: number) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};

/** A box of an ISO media file. */
export function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([number(4)(body.length + 8), Buffer.from(type, 'latin1'), body]);
}

/** A piece, over and over, of `size` bytes in all. */
export const filled = (piece: Buffer, size: number) => Buffer.alloc(Math.max(size, 1), piece);
