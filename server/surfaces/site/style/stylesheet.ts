import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Theme } from '../../../../shared/contract/theme.ts';
import { keptThings, type ResponseCache, unchanging } from '../../../kernel/response-cache.ts';
import { readableOn } from './color.ts';
import { fontStyles } from './fonts.ts';

interface Stylesheet {
  /** Names its content, so that it may be kept for good. */
  path: string;
  css: string;
}

const sheets = ['base', 'parts', 'pages', 'prose', 'print'].map((name) =>
  readFileSync(new URL(`./${name}.css`, import.meta.url), 'utf8'),
);

const light = {
  paper: '#fcfbf8',
  raised: '#f5f2eb',
  ink: '#1d1b18',
  soft: '#5f5a52',
  line: '#e4dfd5',
  keyword: '#8a2a4b',
  string: '#2f6134',
  number: '#7a4a00',
  comment: '#6b655b',
  title: '#1f4e8c',
};

const dark: typeof light = {
  paper: '#141311',
  raised: '#1e1c19',
  ink: '#ece7dd',
  soft: '#a9a296',
  line: '#312e29',
  keyword: '#e99ab3',
  string: '#a5cf9f',
  number: '#e3bd7f',
  comment: '#9a9387',
  title: '#9dc1f2',
};

const measures: Record<Theme['width'], string> = { narrow: '34rem', medium: '38rem', wide: '44rem' };

const keptStylesheets = keptThings<Stylesheet>('stylesheet');

/** All styles of a site with this theme. */
export function stylesheetFor(theme: Theme, responses: ResponseCache): Stylesheet {
  const key = unchanging(JSON.stringify([theme.accent, theme.font, theme.width, theme.scheme]));
  const kept = keptStylesheets.get(responses, key);
  if (kept) return kept;
  const css = minified([rootOf(theme), ...sheets].join('\n'));
  const hash = createHash('sha256').update(css).digest('base64url').slice(0, 16);
  const stylesheet = { path: `/assets/${hash}.css`, css };
  keptStylesheets.keep(responses, key, { thing: stylesheet, bytes: 2 * css.length });
  return stylesheet;
}

function rootOf({ accent, font, width, scheme }: Theme): string {
  const fonts = fontStyles(font);
  const lightTokens = tokens(light, accent);
  const darkTokens = tokens(dark, accent);
  const shared = `${fonts.properties};--measure:${measures[width]}`;
  if (scheme === 'light') return `${fonts.rules}\n:root{${shared};${lightTokens};color-scheme:light}`;
  // Paper is white, whatever a screen shows.
  const print = `@media print{:root{${lightTokens};color-scheme:light}}`;
  if (scheme === 'dark') return `${fonts.rules}\n:root{${shared};${darkTokens};color-scheme:dark}\n${print}`;
  return `${fonts.rules}
:root{${shared};${lightTokens};color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{${darkTokens}}}
${print}`;
}

const tokens = (colors: typeof light, accent: string) =>
  Object.entries({ ...colors, accent: readableOn(colors.raised, accent) })
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');

const minified = (css: string) =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*\n\s*/g, '\n')
    .replace(/\n+/g, '\n')
    .trim();
