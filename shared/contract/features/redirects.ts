import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { created, updated } from '../envelopes.ts';
import { numberedPage, pageQuery, partQuery } from '../pagination.ts';
import { RecordId } from '../record-id.ts';
import { firstSegment, serviceSegments, sitePaths } from '../site-paths.ts';

/**
 * Limits of redirects: their number per site, and the lengths of old path and target, in percent-encoded characters.
 */
export const redirectLimits = { perSite: 10_000, maxPathLength: 1_000, maxTargetLength: 2_000 } as const;

/**
 * Returns the normalized form of a path, for comparisons: no slash at the end, each segment in NFC and percent-encoded.
 * Null for text that is not a path, or that programs interpret differently.
 */
export function canonicalPath(path: string): string | null {
  if (!path.startsWith('/') || path.length > redirectLimits.maxPathLength) return null;
  const end = path.replace(/\/+$/, '');
  const segments = end.split('/').slice(1).map(canonicalSegment);
  const whole = `/${segments.join('/')}`;
  return segments.includes(null) || whole.length > redirectLimits.maxPathLength ? null : whole;
}

function canonicalSegment(segment: string): string | null {
  try {
    const text = decodeURIComponent(segment).normalize('NFC');
    const isOdd = text === '' || text === '.' || text === '..' || /[\p{Cc}\\]/u.test(text);
    return isOdd ? null : encodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Paths that the site always serves, whatever its content is. */
const servedPaths: ReadonlySet<string> = new Set(
  Object.values(sitePaths).filter((path) => !/[:*]/.test(path)),
);

/** True if a normalized path always belongs to the service itself. */
export const isServed = (path: string) => servedPaths.has(path) || serviceSegments.has(firstSegment(path));

const from = {
  description: 'Old path on the site; it must not be the path of an existing page',
  examples: ['/2019/05/types'],
};
const to = { description: 'Target: a path on the site, or an https URL', examples: ['/posts/why-types-pay'] };

const From = z
  .string()
  .max(redirectLimits.maxPathLength)
  .meta(from)
  .transform((given, { issues, value }) => {
    const path = /[?#]/.test(given) ? null : canonicalPath(given);
    if (path !== null && !isServed(path)) return path;
    const message =
      path === null
        ? whyNot(given, redirectLimits.maxPathLength, 'must be a path, such as /old-address')
        : 'is reserved: the site uses this path';
    issues.push({ code: 'custom', message, input: value });
    return z.NEVER;
  });

/** Returns the path of a target on the site, without query and fragment. Null for other targets. */
export const pathOfTarget = (to: string): string | null =>
  to.startsWith('/') ? canonicalPath(to.split(/[?#]/, 1)[0] ?? '') : null;

/**
 * Returns the normalized form of a target. A path is normalized and keeps its query and fragment. An https URL is
 * written as browsers do. Null for anything else.
 */
export function canonicalTarget(given: string): string | null {
  if (/[\p{Cc}\s\\]/u.test(given) || !URL.canParse(given, 'https://a.invalid')) return null;
  const url = new URL(given, 'https://a.invalid');
  if (given.startsWith('/')) {
    const path = url.host === 'a.invalid' ? canonicalPath(url.pathname) : null;
    return path && `${path}${url.search}${url.hash}`;
  }
  const isPlain = url.username === '' && url.password === '' && url.host !== 'a.invalid';
  return /^https:\/\//i.test(given) && url.protocol === 'https:' && isPlain ? url.href : null;
}

/** Explains why a path or URL is not accepted. One letter may need nine characters in percent-encoding. */
const whyNot = (given: string, max: number, expected: string) =>
  encodeURI(given.toWellFormed()).length > max
    ? `must have at most ${max} characters after percent-encoding`
    : expected;

const To = z
  .string()
  .max(redirectLimits.maxTargetLength)
  .meta(to)
  .transform((given, { issues, value }) => {
    const to = canonicalTarget(given);
    if (to !== null && to.length <= redirectLimits.maxTargetLength) return to;
    const max = redirectLimits[given.startsWith('/') ? 'maxPathLength' : 'maxTargetLength'];
    const message = whyNot(given, max, 'must be a path or an https URL');
    issues.push({ code: 'custom', message, input: value });
    return z.NEVER;
  });

const permanent = documented(
  z.boolean(),
  'True for a permanent redirect (301), false for a temporary one (302)',
  true,
);

/** Collections whose records a redirect can point to, whatever their current path is. */
export const redirectedCollections = ['posts', 'projects', 'courses', 'pages'] as const;

/** Redirect from an old path to its target. */
export const Redirect = titled('Redirect', {
  id: RecordId,
  from: z.string().meta(from),
  to: z.string().meta({ ...to, description: `${to.description}; empty if its record was deleted` }),
  permanent,
  collection: documented(
    z.enum(redirectedCollections).nullable(),
    'Collection of the target record, to which the redirect leads while it is public; null if the target is a path or URL',
    null,
  ),
  record_id: documented(
    RecordId.nullable(),
    'ID of the target record; null if the target is a path or URL',
    null,
  ),
  created,
  updated,
});

export const ListRedirects = z.strictObject({ ...pageQuery, q: partQuery });

export const RedirectPage = numberedPage(Redirect);

const given = { from: From, to: To, permanent };

export const CreateRedirect = z.strictObject({ ...given, permanent: permanent.default(true) });

/** Update of a redirect. With `to`, it no longer points to a record. */
export const UpdateRedirect = z.strictObject({ id: RecordId, ...z.strictObject(given).partial().shape });

/** Schemas of the columns `from`, `to` and `collection` of redirects in archives. */
export const archivedRedirect = {
  from: given.from,
  to: z.union([z.literal(''), given.to]),
  collection: z.enum(['', ...redirectedCollections]),
};
