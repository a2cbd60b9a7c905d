import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import type { Theme } from '../../../shared/contract/features/theme.ts';

const require = createRequire(import.meta.url);

const Manifest = z.object({ version: z.string() });

/** Typeface of a package, whose stylesheets name font files by character range. */
const face = (manifest: string, ...sheets: string[]) => ({
  folder: path.dirname(manifest),
  manifest,
  sheets,
});

type Face = ReturnType<typeof face>;

const upright = 'wght.css';
const italic = 'wght-italic.css';

const newsreader = face(require.resolve('@fontsource-variable/newsreader/package.json'), upright, italic);
const sourceSerif = face(
  require.resolve('@fontsource-variable/source-serif-4/package.json'),
  upright,
  italic,
);
const instrument = face(require.resolve('@fontsource-variable/instrument-sans/package.json'), upright);
const inter = face(require.resolve('@fontsource-variable/inter/package.json'), upright, italic);
const bricolage = face(require.resolve('@fontsource-variable/bricolage-grotesque/package.json'), upright);
const mono = face(require.resolve('@fontsource-variable/jetbrains-mono/package.json'), upright);

const serifs = 'Charter, "Bitstream Charter", Georgia, "Noto Serif", serif';
const sans = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';
const code = 'ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace';

/** Japanese system fonts, with strokes that match the Latin fonts, instead of the system's first choice. */
const mincho = '"Hiragino Mincho ProN", "Yu Mincho", "Noto Serif CJK JP", "Noto Serif JP"';
const gothic = '"Hiragino Sans", "Yu Gothic UI", "Yu Gothic", "Noto Sans CJK JP", "Noto Sans JP"';

const inJapanese = (stack: string) =>
  stack.replace(/ sans-serif$/, ` ${gothic},$&`).replace(/ serif$/, ` ${mincho},$&`);

const pairs: Record<Theme['font'], { faces: readonly Face[]; display: string; text: string; label: string }> =
  {
    editorial: {
      faces: [newsreader, instrument, mono],
      display: `"Newsreader Variable", ${serifs}`,
      text: `"Newsreader Variable", ${serifs}`,
      label: `"Instrument Sans Variable", ${sans}`,
    },
    modern: {
      faces: [inter, mono],
      display: `"Inter Variable", ${sans}`,
      text: `"Inter Variable", ${sans}`,
      label: `"Inter Variable", ${sans}`,
    },
    bold: {
      faces: [bricolage, sourceSerif, mono],
      display: `"Bricolage Grotesque Variable", ${sans}`,
      text: `"Source Serif 4 Variable", ${serifs}`,
      label: `"Bricolage Grotesque Variable", ${sans}`,
    },
    system: { faces: [], display: serifs, text: serifs, label: sans },
  };

export const fontPaths = new Map(
  [newsreader, sourceSerif, instrument, inter, bricolage, mono].flatMap((face) =>
    [...faceRules(face).matchAll(/url\((\/assets\/fonts\/[^)]+)\)/g)].map(([, url = '']) => [
      url,
      path.join(face.folder, 'files', path.basename(url)),
    ]),
  ),
);

export function fontStyles(font: Theme['font']) {
  const { faces, display, text, label } = pairs[font];
  const atOnce = faces.filter((face) => face !== mono).flatMap((face) => firstOf(faceRules(face)));
  const codeFont = faces.includes(mono) ? `"JetBrains Mono Variable", ${code}` : code;
  const properties = (of: (stack: string) => string) =>
    `--display:${of(display)};--text:${of(text)};--label:${of(label)}`;
  return {
    rules: faces.map(faceRules).join('\n'),
    /** Files for Latin text at the top of a page, to be preloaded. */
    atOnce,
    properties: `${properties((stack) => stack)};--code:${codeFont}`,
    /** Font properties of sites in Japanese. */
    japanese: properties(inJapanese),
  };
}

/** Upright Latin file, which the package's stylesheet lists last. */
const firstOf = (rules: string) =>
  /url\((\/assets\/fonts\/[^)]*-latin-wght-normal\.woff2)\)/.exec(rules)?.[1] ?? [];

/** Rules of the package with URLs of this service. These contain its version, so that files can be cached indefinitely. */
function faceRules({ manifest, folder, sheets }: Face): string {
  const { version } = Manifest.parse(JSON.parse(readFileSync(manifest, 'utf8')));
  return sheets
    .map((sheet) => readFileSync(path.join(folder, sheet), 'utf8'))
    .join('\n')
    .replace(/url\(\.\/files\/([^)]+)\)/g, `url(/assets/fonts/${version}/$1)`);
}
