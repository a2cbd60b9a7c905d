/** Content security policy: pages run no scripts, load styles and fonts only from their own site, and cannot be framed. */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "font-src 'self'",
  'img-src https: http: data:',
  'media-src https: http:',
  // No script connects anywhere. Audit tools fetch robots.txt from the page.
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Origins of Stripe's payment pages and of its pages for members. */
export const stripeOrigins = {
  checkout: 'https://checkout.stripe.com',
  billing: 'https://billing.stripe.com',
} as const;

/**
 * Returns the policy header of a page whose forms redirect to `origin`, a page of Stripe: browsers apply `form-action` to
 * redirects too.
 */
export const policyWithFormsTo = (origin: string) => ({
  'content-security-policy': policy.replace("form-action 'self'", `form-action 'self' ${origin}`),
});

export const pageHeaders = {
  'content-security-policy': policy,
  // With `no-referrer`, Chromium sends `Origin: null` with the site's own forms.
  'referrer-policy': 'strict-origin-when-cross-origin',
  'x-content-type-options': 'nosniff',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), interest-cohort=()',
};

/** Returns the headers of a page that contains one frame, which the policy allows from this origin alone. */
export const headersWithFrame = (origin: string) => ({
  ...pageHeaders,
  'content-security-policy': `${policy}; frame-src ${origin}`,
});

const always = Object.entries(pageHeaders).flat();

/**
 * Returns the headers of a cached page, names and values alternating. Shared caches may store public pages, but must
 * revalidate them. Pages of members are never stored, because browsers show stored pages on the way back, even after
 * signing out.
 */
export const cachedPageHeaders = (isSignedIn: boolean): readonly string[] => [
  ...always,
  ...['cache-control', isSignedIn ? 'private, no-store' : 'public, max-age=0, must-revalidate'],
  ...['vary', 'Accept-Encoding, Cookie'],
];
