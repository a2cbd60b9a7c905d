/** By what their `User-Agent` has; the first that fits, since each names those that it claims to be as well. */
const browsers = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;

const systems = [
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

/** Browser and system in words, as far as a `User-Agent` tells; null for what is no browser that people use. */
export function browserName(userAgent = ''): string | null {
  const named = (table: readonly (readonly [RegExp, string])[]) =>
    table.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = named(browsers);
  if (!browser) return null;
  const system = named(systems);
  return system ? `${browser} on ${system}` : browser;
}

/** An address without its last part: where somebody is, roughly. IPv6 comes by its /64, of which that is the whole rest. */
export const shortenedAddress = (client: string) => client.replace(/\.\d+$/, '.x');
