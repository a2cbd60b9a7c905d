import sharp from 'sharp';
import type { Card } from '../../../shared/theme/card.ts';
import { faceOf, type SetLine, setLine, setLines } from './set-text.ts';

// The cache of sharp is disabled, because a server draws only a few images a day.
sharp.cache(false);
sharp.concurrency(1);

/** Size in pixels that social networks show without cropping. */
const [width, height] = [1_200, 630];

const margin = 84;

/** Font sizes of the title, in pixels. The largest one that fits is used. */
const sizes = [104, 88, 76, 64, 54];
const maxLines = 4;
const nameSize = 36;

/**
 * Returns a PNG image with title and site name on the site's background, and its accent color. If the font lacks a
 * character, the image has no text.
 */
export async function drawSocialImage({ title, name, font, colours }: Card): Promise<Uint8Array> {
  const { paper, ink, soft, accent } = colours;
  const face = faceOf(font);
  const texts = [title, name].map(withoutSymbols);
  const [ownTitle = '', ownName = ''] = texts;
  const hasText = texts.every((text) => face.covers(text));
  const inside = width - 2 * margin;
  const lines = hasText ? setLines(face, ownTitle, inside, sizes, maxLines) : [];
  const below = hasText && ownName !== ownTitle ? setLine(face, ownName, inside - 320, nameSize) : null;
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`,
    `<rect width="${width}" height="${height}" fill="${paper}"/>`,
    hasText
      ? `<circle cx="${width - 40}" cy="${height - 10}" r="190" fill="${accent}"/>`
      : `<circle cx="${width / 2}" cy="${height / 2}" r="190" fill="${accent}"/>`,
    ...lines.map((line, index) => pathsOf(line, margin + (index + 0.85) * line.size * 1.12, ink)),
    below && pathsOf(below, height - margin + 6, soft),
    '</svg>',
  ];
  return sharp(Buffer.from(svg.filter(Boolean).join('')))
    .png({ palette: true, effort: 4 })
    .toBuffer();
}

const pathsOf = ({ letters, scale }: SetLine, baseline: number, colour: string) =>
  `<g fill="${colour}">${letters
    .map(
      ({ x, outline }) =>
        `<path transform="translate(${margin + x} ${baseline}) scale(${scale} ${-scale})" d="${outline}"/>`,
    )
    .join('')}</g>`;

/** Removes pictographs, which text fonts do not contain. */
const withoutSymbols = (text: string) =>
  text
    .normalize('NFC')
    .replace(/\p{Extended_Pictographic}|[\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}\ufe0f\u200d]/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
