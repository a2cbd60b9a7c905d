/** Characters that HTML writes by name, as far as titles have them. */
const names: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
};

/** HTML as the text that it shows, on one line: for titles and names, which hold no markup here. */
export const plainText = (html: string): string =>
  decodeEntities(html.replace(/<\/?[a-z][^<>]*>/gi, ''))
    .replace(/\s+/g, ' ')
    .trim();

/** A text with the characters that are written by name or number in it. */
export const decodeEntities = (text: string): string =>
  text.replace(/&(#\d{1,7}|#x[0-9a-f]{1,6}|\w{1,10});/gi, (written, name: string) => {
    if (!name.startsWith('#')) return Object.hasOwn(names, name) ? (names[name] ?? written) : written;
    const isHex = /^#x/i.test(name);
    return characterOf(Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10)) ?? written;
  });

const characterOf = (code: number): string | null =>
  code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : null;
