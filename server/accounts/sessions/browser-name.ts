/** Patterns of `User-Agent`. The first match counts, because browsers also contain the names of those that they imitate. */
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

/** Returns browser and system of a `User-Agent` in words; null for other programs. */
export function browserName(userAgent = ''): string | null {
  const named = (table: readonly (readonly [RegExp, string])[]) =>
    table.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = named(browsers);
  if (!browser) return null;
  const system = named(systems);
  return system ? `${browser} on ${system}` : browser;
}

/**
 * Replaces the last number of an IPv4 address by `x`, which leaves a rough location. Returns an IPv6 address unchanged,
 * because it is already shortened to its /64.
 */
export const shortenedAddress = (client: string) => client.replace(/\.\d+$/, '.x');
