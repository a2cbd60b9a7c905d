import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Theme, textWidths } from '../../../shared/contract/features/theme.ts';
import { coloursIn, type Scheme } from '../../../shared/theme/palettes.ts';
import { cachedValues, type ResponseCache, unchanging } from '../../api/response-cache.ts';
import { fontStyles } from './fonts.ts';

interface Stylesheet {
  /** Path with a hash of the content, so that it can be cached indefinitely. */
  path: string;
  css: string;
  /** Fonts for Latin text at the top of a page, to be preloaded. */
  fonts: readonly string[];
}

const sheetOf = (name: string) => readFileSync(new URL(`./${name}.css`, import.meta.url), 'utf8');

/** Classes for the focus point of images, which stays visible when they are cropped, in steps of 5 %. */
const focuses = Array.from({ length: 21 }, (_, at) => 5 * at)
  .map((at) => `.x${at}{--x:${at}%}.y${at}{--y:${at}%}`)
  .join('');

const sheets = ['base', 'parts', 'pages', 'prose'].map(sheetOf);

/** Rules for the scripts and words of some languages. They follow the rules of looks. */
const ofLanguages = sheetOf('languages');

const print = sheetOf('print');

const parts: Record<Theme['look'], string> = {
  journal: sheetOf('looks/journal'),
  studio: sheetOf('looks/studio'),
  classroom: sheetOf('looks/classroom'),
  plain: sheetOf('looks/plain'),
};

/** Returns the colors for images that are drawn for a site: those of the dark scheme only if the whole site is dark. */
export function coloursOf(theme: Theme) {
  const { paper, ink, soft, accent } = coloursIn(theme.scheme === 'dark' ? 'dark' : 'light', theme);
  return { paper, ink, soft, accent };
}

const cachedStylesheets = cachedValues<Stylesheet>('stylesheet');

export function stylesheetFor(theme: Theme, responses: ResponseCache): Stylesheet {
  const key = unchanging(JSON.stringify([theme.look, theme.accent, theme.font, theme.width, theme.scheme]));
  const kept = cachedStylesheets.get(responses, key);
  if (kept) return kept;
  const css = minified([rootOf(theme), ...sheets, parts[theme.look], ofLanguages, focuses, print].join('\n'));
  const hash = createHash('sha256').update(css).digest('base64url').slice(0, 16);
  const stylesheet = { path: `/assets/${hash}.css`, css, fonts: fontStyles(theme.font).atOnce };
  cachedStylesheets.keep(responses, key, { thing: stylesheet, bytes: 2 * css.length });
  return stylesheet;
}

function rootOf(theme: Theme): string {
  const { font, width, scheme } = theme;
  const fonts = fontStyles(font);
  const lightTokens = tokens('light', theme);
  const darkTokens = tokens('dark', theme);
  const rules = `${fonts.rules}\n:root:lang(ja){${fonts.japanese}}`;
  const shared = `${fonts.properties};--measure:${textWidths[width]}`;
  if (scheme === 'light') return `${rules}\n:root{${shared};${lightTokens};color-scheme:light}`;
  // Printed pages are white, whatever the screen shows.
  const onPaper = `@media print{:root{${lightTokens};color-scheme:light}}`;
  if (scheme === 'dark') return `${rules}\n:root{${shared};${darkTokens};color-scheme:dark}\n${onPaper}`;
  return `${rules}
:root{${shared};${lightTokens};color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{${darkTokens}}}
${onPaper}`;
}

const tokens = (scheme: Scheme, theme: Theme) =>
  Object.entries(coloursIn(scheme, theme))
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');

const minified = (css: string) =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*\n\s*/g, '\n')
    .replace(/\n+/g, '\n')
    .trim();
