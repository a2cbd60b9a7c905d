import { damaged } from '../damaged.ts';
import type { FileReader } from '../file-reader.ts';

/** A box of an ISO media file: AVIF, MP4 and QuickTime are made of them. */
export interface Box {
  type: string;
  /** Where the box begins, what is in it, and where it ends. */
  at: number;
  body: number;
  end: number;
}

/** The boxes side by side from `from` to `to`. Throws `media_damaged` where one reaches beyond. */
export async function boxesIn(file: FileReader, from: number, to: number): Promise<Box[]> {
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= to; ) {
    file.countPart();
    const head = await file.bytes(at, 8);
    const short = head.readUInt32BE();
    const isLong = short === 1;
    const size = isLong ? Number((await file.bytes(at + 8, 8)).readBigUInt64BE()) : short || to - at;
    const body = at + (isLong ? 16 : 8);
    if (at + size > to || at + size < body) throw damaged();
    boxes.push({ type: head.toString('latin1', 4, 8), at, body, end: at + size });
    at += size;
  }
  return boxes;
}

/** The only box of that type. */
export function boxOf(boxes: readonly Box[], type: string): Box {
  const found = boxes.find((box) => box.type === type);
  if (!found) throw damaged();
  return found;
}

/** Reads numbers one after the other from bytes that may end early. */
export function createCursor(bytes: Buffer) {
  let at = 0;
  const number = (size: number): number => {
    if (at + size > bytes.length) throw damaged();
    // Six bytes is what a number holds exactly; a file has no more than those count.
    const value =
      size === 8 ? Number(bytes.readBigUInt64BE(at)) : size === 0 ? 0 : bytes.readUIntBE(at, size);
    at += size;
    return value;
  };
  return {
    number,
    text: (size: number) => {
      const from = at;
      number(0);
      at += size;
      return bytes.toString('latin1', from, at);
    },
    isAtEnd: () => at >= bytes.length,
  };
}
