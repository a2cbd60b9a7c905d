/** A source of unpredictable bytes, such as `randomBytes` of `node:crypto`. */
export type RandomBytes = (size: number) => Uint8Array;

export const base36 = '0123456789abcdefghijklmnopqrstuvwxyz';
export const base62 = `${base36}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

/** `length` characters of `alphabet` (at most 256), each equally likely. */
export function randomText(alphabet: string, length: number, randomBytes: RandomBytes): string {
  const fair = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    const usable = randomBytes(length - text.length).filter((byte) => byte < fair);
    for (const byte of usable) text += alphabet.charAt(byte % alphabet.length);
  }
  return text;
}
