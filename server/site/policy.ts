/** Pages run nothing, load styles and fonts from their own site only, and are shown in nobody's frame. */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "font-src 'self'",
  'img-src https: http: data:',
  'media-src https: http:',
  // No script sends anything; tools that look at a page fetch its robots.txt as the page would.
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const pageHeaders = {
  'content-security-policy': policy,
  // With `no-referrer`, Chromium sends `Origin: null` with the site's own forms.
  'referrer-policy': 'strict-origin-when-cross-origin',
  'x-content-type-options': 'nosniff',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), interest-cohort=()',
};

const always = Object.entries(pageHeaders).flat();

/**
 * What a cached page says of itself, names and values in turns: caches may keep it for all, but ask each time. What a member sees nobody keeps: browsers
 * show what they have on the way back, and ask nobody whether that member is still there.
 */
export const cachedPageHeaders = (isSignedIn: boolean): readonly string[] => [
  ...always,
  ...['cache-control', isSignedIn ? 'private, no-store' : 'public, max-age=0, must-revalidate'],
  ...['vary', 'Accept-Encoding, Cookie'],
];
