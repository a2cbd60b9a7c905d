/** Returns a function that writes numbers with this many bytes, the highest byte first. */
export const number = (bytes: 1 | 2 | 4) => (value: number) => {
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
