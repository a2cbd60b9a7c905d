import type { Theme } from '../contract/features/theme.ts';
import { readableOn } from './color.ts';

/** The colours of a look in one scheme, besides the accent, which is the owner's. */
interface Palette {
  /** What everything stands on. */
  paper: string;
  /** What stands out of it: boxes and code. */
  raised: string;
  ink: string;
  /** Text of less weight. */
  soft: string;
  line: string;
}

/** Each look on a light and on a dark screen. */
const palettes: Record<Theme['look'], { light: Palette; dark: Palette }> = {
  journal: {
    light: { paper: '#fcfbf8', raised: '#f5f2eb', ink: '#1d1b18', soft: '#5f5a52', line: '#e4dfd5' },
    dark: { paper: '#141311', raised: '#1e1c19', ink: '#ece7dd', soft: '#a9a296', line: '#312e29' },
  },
  studio: {
    light: { paper: '#ffffff', raised: '#f6f6f7', ink: '#111214', soft: '#5b5e66', line: '#e3e4e8' },
    dark: { paper: '#0c0d0f', raised: '#17181b', ink: '#f1f2f4', soft: '#a0a4ad', line: '#2b2d32' },
  },
  classroom: {
    light: { paper: '#eef3ee', raised: '#ffffff', ink: '#17231d', soft: '#4d5c54', line: '#d5ded8' },
    dark: { paper: '#10201a', raised: '#182b23', ink: '#e6efe9', soft: '#a3b5ab', line: '#2c4238' },
  },
  plain: {
    light: { paper: '#ffffff', raised: '#f4f4f4', ink: '#111111', soft: '#555555', line: '#dddddd' },
    dark: { paper: '#111111', raised: '#1b1b1b', ink: '#eeeeee', soft: '#aaaaaa', line: '#333333' },
  },
};

interface CodeColours {
  keyword: string;
  string: string;
  number: string;
  comment: string;
  title: string;
}

/** Words of code, the same in every look. */
const codeColours: Record<Scheme, CodeColours> = {
  light: {
    keyword: '#8a2a4b',
    string: '#2f6134',
    number: '#7a4a00',
    comment: '#6b655b',
    title: '#1f4e8c',
  },
  dark: {
    keyword: '#e99ab3',
    string: '#a5cf9f',
    number: '#e3bd7f',
    comment: '#9a9387',
    title: '#9dc1f2',
  },
};

/** All colours of a site in one scheme. */
export interface Colours extends Palette, CodeColours {
  accent: string;
}

export type Scheme = 'light' | 'dark';

/** The colours of a site in one scheme, with its accent where words in it are read on either ground, and those of code. */
export function coloursIn(scheme: Scheme, { look, accent }: Pick<Theme, 'look' | 'accent'>): Colours {
  const palette = palettes[look][scheme];
  const readable = readableOn(palette.paper, readableOn(palette.raised, accent));
  return { ...palette, accent: readable, ...codeColours[scheme] };
}
