import type { Theme } from '../contract/features/theme.ts';

type Rgb = readonly [number, number, number];

/** Minimum contrast between text and its background (WCAG 2.2, 1.4.3). */
const minContrast = 4.5;

/**
 * Moves `color` toward black or white until it is readable on `ground`, as little as possible. All colors are
 * `#rrggbb`.
 */
export function readableOn(ground: string, color: string): string {
  const target: Rgb = luminance(parse(ground)) > 0.5 ? [0, 0, 0] : [255, 255, 255];
  const steps = Array.from({ length: 51 }, (_, step) => mix(parse(color), target, step / 50));
  const readable = steps.find((step) => contrast(step, parse(ground)) >= minContrast);
  return format(readable ?? target);
}

/** Returns WCAG's contrast ratio of two colors, from 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

export const parse = (color: string): Rgb => [
  Number.parseInt(color.slice(1, 3), 16),
  Number.parseInt(color.slice(3, 5), 16),
  Number.parseInt(color.slice(5, 7), 16),
];

const format = (rgb: Rgb) => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

const mix = ([r, g, b]: Rgb, [x, y, z]: Rgb, share: number): Rgb => [
  r + (x - r) * share,
  g + (y - g) * share,
  b + (z - b) * share,
];

function luminance(rgb: Rgb): number {
  const [r = 0, g = 0, b = 0] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Colors of a look in one scheme. The owner chooses the accent. */
interface Palette {
  /** Background of pages. */
  paper: string;
  /** Background of boxes and code. */
  raised: string;
  ink: string;
  /** Text of less importance. */
  soft: string;
  line: string;
}

/** Colors of each look, on a light and on a dark screen. */
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

/** Colors of code, the same in every look. */
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

/** All colors of a site in one scheme. */
export interface Colours extends Palette, CodeColours {
  accent: string;
}

export type Scheme = 'light' | 'dark';

/**
 * Returns the colors of a site in one scheme, as `#rrggbb`. The accent is adjusted so that text in it is readable on both
 * backgrounds.
 */
export function coloursIn(scheme: Scheme, { look, accent }: Pick<Theme, 'look' | 'accent'>): Colours {
  const palette = palettes[look][scheme];
  const readable = readableOn(palette.paper, readableOn(palette.raised, accent));
  return { ...palette, accent: readable, ...codeColours[scheme] };
}
