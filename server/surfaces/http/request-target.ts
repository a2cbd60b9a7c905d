import type { FastifyRequest } from 'fastify';

/** What a request line asks for: the URL to route it by, and whether it must be refused on the way. */
interface RequestTarget {
  url: string;
  malformed: boolean;
}

/**
 * Fastify answers a target that can't be decoded without running any hook. So its invalid parts are escaped here: it
 * then passes the hooks (request id, limits) and is refused by `isMalformed`. The absolute form is read as its path.
 */
export function readTarget(target: string): RequestTarget {
  const url = target.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
  const [path = ''] = url.split(/[?#]/, 1);
  const rest = url.slice(path.length);
  if (url.startsWith('/') && decodes(path)) return { url, malformed: false };
  return {
    url: `/${path.replace(/^\//, '').replaceAll('%', '%25')}${rest}`,
    malformed: !url.startsWith('?'),
  };
}

/** Whether the request line names no path in percent-encoded UTF-8. */
export const isMalformed = ({ originalUrl, url }: FastifyRequest) =>
  originalUrl !== url && readTarget(originalUrl).malformed;

function decodes(path: string): boolean {
  try {
    return decodeURI(path) !== '';
  } catch {
    return false;
  }
}
