import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { create, type Font } from 'fontkit';
import { z } from 'zod';
import { charactersOf } from '../../../shared/contract/cut-text.ts';
import type { Theme } from '../../../shared/contract/features/theme.ts';

const require = createRequire(import.meta.url);

/** Heading font of each font pair. System fonts may be missing on the server, so that pair uses another one's. */
const families: Record<Theme['font'], string> = {
  editorial: 'newsreader',
  modern: 'inter',
  bold: 'bricolage-grotesque',
  system: 'source-serif-4',
};

const Ranges = z.record(z.string(), z.string());

/** Font that consists of several files, each for some characters. */
export interface Face {
  covers(text: string): boolean;
  /** Returns the file that contains a character. Throws if there is none. */
  fileFor(character: string): Font;
}

const faces = new Map<string, Face>();

/**
 * Returns a font. Its files are read when their first character is drawn, and stay in memory for the life of the
 * thread.
 */
export function faceOf(font: Theme['font']): Face {
  const family = families[font];
  const face = faces.get(family) ?? openFace(family);
  faces.set(family, face);
  return face;
}

function openFace(family: string): Face {
  const folder = dirname(require.resolve(`@fontsource-variable/${family}/package.json`));
  const ranges = Ranges.parse(JSON.parse(readFileSync(join(folder, 'unicode.json'), 'utf8')));
  // Latin first, because other files repeat some of its characters.
  const names = Object.keys(ranges).sort((a, b) => Number(b === 'latin') - Number(a === 'latin'));
  const files = names.map((name) => ({ name, has: rangesOf(ranges[name] ?? '') }));
  const opened = new Map<string, Font>();
  const nameFor = (character: string) => files.find(({ has }) => has(character.codePointAt(0) ?? 0))?.name;
  return {
    covers: (text) => [...text].every((character) => nameFor(character) !== undefined),
    fileFor(character) {
      const name = nameFor(character);
      if (name === undefined) throw new Error(`the font ${family} has no glyph for ${character}`);
      const file = opened.get(name) ?? readFont(join(folder, 'files', `${family}-${name}-wght-normal.woff2`));
      opened.set(name, file);
      return file;
    },
  };
}

function readFont(path: string): Font {
  const font = create(readFileSync(path));
  if (!('layout' in font)) throw new Error(`${path} contains several fonts`);
  return font;
}

/** Returns a test for code points in ranges such as `U+0000-00FF,U+0131`. */
function rangesOf(text: string): (code: number) => boolean {
  const ranges = text.split(',').map((range) => {
    const [first = '', last = first] = range.trim().slice(2).split('-');
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const;
  });
  return (code) => ranges.some(([first, last]) => code >= first && code <= last);
}

/** Line of text: each glyph has a position in pixels and an outline in font units. */
export interface SetLine {
  size: number;
  scale: number;
  width: number;
  letters: { x: number; outline: string }[];
}

function set(face: Face, text: string, size: number): SetLine {
  const letters: SetLine['letters'] = [];
  let x = 0;
  let scale = 0;
  for (const { font, run } of runsOf(face, text)) {
    scale = size / font.unitsPerEm;
    const { glyphs, positions } = font.layout(run);
    for (const [index, glyph] of glyphs.entries()) {
      letters.push({ x: x + (positions[index]?.xOffset ?? 0) * scale, outline: glyph.path.toSVG() });
      x += (positions[index]?.xAdvance ?? 0) * scale;
    }
  }
  return { size, scale, width: x, letters };
}

/** Splits a text into runs of characters from the same file. */
function runsOf(face: Face, text: string) {
  const runs: { font: Font; run: string }[] = [];
  for (const character of text) {
    const font = face.fileFor(character);
    const last = runs.at(-1);
    if (last?.font === font) last.run += character;
    else runs.push({ font, run: character });
  }
  return runs;
}

/**
 * Returns a line of text, shortened with an ellipsis if it is wider than `width`. `width` and the font size `size`
 * are in pixels.
 */
export function setLine(face: Face, text: string, width: number, size: number): SetLine {
  const whole = set(face, text, size);
  if (whole.width <= width) return whole;
  const characters = charactersOf(text);
  let [fits, tooMany] = [0, characters.length];
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    if (set(face, cut(characters, middle), size).width <= width) fits = middle;
    else tooMany = middle;
  }
  return set(face, cut(characters, fits), size);
}

const cut = (characters: readonly string[], count: number) =>
  `${characters.slice(0, count).join('').trimEnd()}…`;

/**
 * Breaks a text into at most `maxLines` lines, in the first of the font sizes `sizes` in which it fits. If it fits in
 * none, it ends with an ellipsis in the last size. `width` and `sizes` are in pixels.
 */
export function setLines(
  face: Face,
  text: string,
  width: number,
  sizes: readonly number[],
  maxLines: number,
): SetLine[] {
  for (const size of sizes) {
    const lines = broken(face, text, width, size);
    const isLast = size === sizes.at(-1);
    const fits = lines.length <= maxLines && lines.every((line) => set(face, line, size).width <= width);
    if (!fits && !isLast) continue;
    const rest = [...lines.slice(0, maxLines - 1), lines.slice(maxLines - 1).join(' ')].filter(Boolean);
    return rest.map((line) => setLine(face, line, width, size));
  }
  return [];
}

/**
 * Breaks a text at spaces into lines of at most `width` pixels, at the font size `size`. A wider word gets its own
 * line.
 */
function broken(face: Face, text: string, width: number, size: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const longer = `${last} ${word}`;
    if (last !== undefined && set(face, longer, size).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
