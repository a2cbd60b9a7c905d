import MarkdownIt from 'markdown-it';

const { unescapeAll } = new MarkdownIt().utils;

/** Converts HTML to plain text on one line, for titles and names: removes tags and decodes entities. */
export const plainText = (html: string): string =>
  decodeEntities(html.replace(/<\/?[a-z][^<>]*>/gi, ''))
    .replace(/\s+/g, ' ')
    .trim();

/** Replaces HTML entities by their characters, and `&nbsp;` by a space. Unknown entities stay. */
export const decodeEntities = (text: string): string =>
  text.replace(/&(#\d{1,7}|#x[0-9a-f]{1,6}|\w{1,31});/gi, (written, name: string) => {
    if (name === 'nbsp') return ' ';
    if (!name.startsWith('#')) return unescapeAll(written);
    const isHex = /^#x/i.test(name);
    return characterOf(Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10)) ?? written;
  });

const characterOf = (code: number): string | null =>
  code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : null;
