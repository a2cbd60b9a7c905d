/** Every path of the public site that is no custom page, by what it shows. */
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
  preview: '/preview/:token',
  atom: '/feed.xml',
  jsonFeed: '/feed.json',
  sitemap: '/sitemap.xml',
  robots: '/robots.txt',
  llms: '/llms.txt',
  favicon: '/favicon.svg',
  assets: '/assets/*',
} as const;

/** Where the site shows a record, by its kind's name; null for kinds whose records have no page of their own. */
export function pageOf(name: string, slug: string): string | null {
  if (name === 'page') return `/${slug}`;
  const path = Object.entries(sitePaths).find(([shown]) => shown === name)?.[1];
  return path?.endsWith('/:slug') ? path.replace(':slug', slug) : null;
}

/** What a path begins with; empty for `/`. */
export const firstSegment = (path: string) => path.split('/')[1] ?? '';

/** The first segments of all that the service serves besides its pages, and of what it keeps for later. */
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

/** First segments of paths that no custom page can have as its slug: the page would not be found there. */
export const reservedSegments: ReadonlySet<string> = new Set([
  ...serviceSegments,
  ...Object.values(sitePaths).map(firstSegment).filter(Boolean),
]);

/** Where a site is at home: its own domain, else its name below the service's; null when it has neither. */
export function ownOriginOf(
  { custom_domain, subdomain }: Record<'custom_domain' | 'subdomain', string | null>,
  { publicUrl }: { publicUrl: URL },
): string | null {
  if (custom_domain) return `${publicUrl.protocol}//${custom_domain}`;
  return subdomain ? `${publicUrl.protocol}//${subdomain}.${publicUrl.host}` : null;
}

/** Whether a domain is the service's own host, or below it, which no owner can choose. */
export const isServiceDomain = (domain: unknown, publicHost: string) =>
  typeof domain === 'string' && `.${domain}`.endsWith(`.${publicHost}`);

/** A path without its percent signs; as it is where they say nothing. */
export function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
