import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Theme, textWidths } from '../../../shared/contract/features/theme.ts';
import { coloursIn, type Scheme } from '../../../shared/theme/palettes.ts';
import { cachedValues, type ResponseCache, unchanging } from '../../api/response-cache.ts';
import { fontStyles } from './fonts.ts';

interface Stylesheet {
  /** Names its content, so that it may be kept for good. */
  path: string;
  css: string;
  /** Fonts that the first words in Latin letters need. */
  fonts: readonly string[];
}

const sheetOf = (name: string) => readFileSync(new URL(`./${name}.css`, import.meta.url), 'utf8');

/** Points of pictures that stay in sight where these are cut off, in steps of 5 %. */
const focuses = Array.from({ length: 21 }, (_, at) => 5 * at)
  .map((at) => `.x${at}{--x:${at}%}.y${at}{--y:${at}%}`)
  .join('');

const sheets = ['base', 'parts', 'pages', 'prose'].map(sheetOf);

/** What letters and words of some languages need, after what looks do to all. */
const ofLanguages = sheetOf('languages');

const print = sheetOf('print');

const parts: Record<Theme['look'], string> = {
  journal: sheetOf('looks/journal'),
  studio: sheetOf('looks/studio'),
  classroom: sheetOf('looks/classroom'),
  plain: sheetOf('looks/plain'),
};

/** What is drawn on a site's paper: the light one unless all of the site is dark. */
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
  // Paper is white, whatever a screen shows.
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
