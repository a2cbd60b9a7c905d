/** Paths of the public site, except custom pages. */
export const sitePaths = {
  home: '/',
  posts: '/posts',
  post: '/posts/:slug',
  tag: '/tags/:tag',
  tagFeed: '/tags/:tag/feed.xml',
  projects: '/projects',
  project: '/projects/:slug',
  courses: '/courses',
  course: '/courses/:slug',
  lesson: '/courses/:slug/lessons/:lesson',
  beginCourse: '/courses/:slug/begin',
  certify: '/courses/:slug/certificate',
  certificate: '/certificates/:certificate',
  talks: '/talks',
  cv: '/cv',
  search: '/search',
  testimonials: '/testimonials',
  newsletter: '/newsletter',
  confirm: '/newsletter/confirm/:token',
  unsubscribe: '/newsletter/unsubscribe/:token',
  signIn: '/sign-in',
  signOut: '/sign-out',
  account: '/account',
  billing: '/account/billing',
  receipt: '/account/receipts/:purchase',
  billingDemo: '/account/billing/demo/:membership',
  buy: '/buy/:offer',
  payDemo: '/buy/demo/:token',
  bought: '/buy/done/:token',
  boughtSignIn: '/buy/done/:token/sign-in',
  preview: '/preview/:token',
  atom: '/feed.xml',
  jsonFeed: '/feed.json',
  sitemap: '/sitemap.xml',
  robots: '/robots.txt',
  llms: '/llms.txt',
  favicon: '/favicon.svg',
  assets: '/assets/*',
} as const;

/**
 * Returns the path of a record's page, given the name of its resource. Null for resources whose records have no page.
 */
export function pageOf(name: string, slug: string): string | null {
  if (name === 'page') return `/${slug}`;
  const path = Object.entries(sitePaths).find(([shown]) => shown === name)?.[1];
  return path?.endsWith('/:slug') ? path.replace(':slug', slug) : null;
}

/** Returns the first segment of a path without slashes; empty for `/`. */
export const firstSegment = (path: string) => path.split('/')[1] ?? '';

/** First segments of the service's paths other than pages, including those that are reserved for later. */
export const serviceSegments: ReadonlySet<string> = new Set([
  'api',
  'trpc',
  'mcp',
  'oauth',
  '.well-known',
  'docs',
  'openapi.json',
  'healthz',
  'readyz',
  'internal',
  'studio',
  'media',
  'metrics',
  'admin',
  firstSegment(sitePaths.assets),
]);

/** First segments that became reserved later. Pages and redirects that have these paths stay, also when they are imported. */
export const laterSegments: ReadonlySet<string> = new Set(['buy', 'hooks', 'certificates']);

/** First segments that a custom page cannot have as its slug, because its path would lead elsewhere. */
export const reservedSegments: ReadonlySet<string> = new Set([
  ...serviceSegments,
  ...laterSegments,
  ...Object.values(sitePaths).map(firstSegment).filter(Boolean),
]);

/**
 * Returns the origin of a site: that of its custom domain, else of its subdomain. Null if it has neither. The protocol is
 * that of `publicUrl`, and so is the port of a subdomain.
 */
export function ownOriginOf(
  { custom_domain, subdomain }: Record<'custom_domain' | 'subdomain', string | null>,
  { publicUrl }: { publicUrl: URL },
): string | null {
  if (custom_domain) return `${publicUrl.protocol}//${custom_domain}`;
  return subdomain ? `${publicUrl.protocol}//${subdomain}.${publicUrl.host}` : null;
}

/** True if a domain is the service's own host or a subdomain of it, which no owner can choose. */
export const isServiceDomain = (domain: unknown, publicHost: string) =>
  typeof domain === 'string' && `.${domain}`.endsWith(`.${publicHost}`);

/** Decodes the percent-encoding of a path. A malformed path is returned unchanged. */
export function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
