type Rgb = readonly [number, number, number];

/** Least contrast of text to its ground (WCAG 2.2, 1.4.3). */
const leastContrast = 4.5;

/** `color`, moved toward black or white as little as it takes to be read on `ground`. All are `#rrggbb`. */
export function readableOn(ground: string, color: string): string {
  const target: Rgb = luminance(parse(ground)) > 0.5 ? [0, 0, 0] : [255, 255, 255];
  const steps = Array.from({ length: 51 }, (_, step) => mix(parse(color), target, step / 50));
  const readable = steps.find((step) => contrast(step, parse(ground)) >= leastContrast);
  return format(readable ?? target);
}

/** WCAG's contrast ratio. */
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
