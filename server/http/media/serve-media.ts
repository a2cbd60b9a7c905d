import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type MediaType, mediaSiteCookie } from '../../../shared/contract/features/media.ts';
import { mediaSizeUrl, mediaUrl } from '../../../shared/contract/features/media-address.ts';
import { recordIdPattern } from '../../../shared/contract/record-id.ts';
import { opensFile } from '../../../shared/media/protected-files.ts';
import { originalKey, sizeKey } from '../../../shared/media/store.ts';
import { ApiError, found } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { hasTag } from '../../api/entity-tag.ts';
import { textsOf } from '../body.ts';
import { readPlainCookie } from '../cookies.ts';
import { hostName } from '../request-target.ts';
import { type Http, sendUnchanged } from '../send-representation.ts';
import { readRange } from './byte-range.ts';

interface Content {
  key: string;
  type: MediaType;
  name: string;
  etag: string;
  /** Number of bytes; null if unknown, and then ranges are not supported. */
  size: number | null;
  protected: boolean;
}

/**
 * Serves the files of a site and their renditions. The content of an address never changes. A protected file exists only at signed
 * addresses.
 */
export function serveMedia(app: FastifyInstance, deps: Deps) {
  const config = { tier: 'site' } as const;
  app.get('/media/:id/:name', { config }, async (request, reply) => {
    const { siteId, file } = await fileOf(deps, request);
    requireAddress(request, mediaUrl(file));
    const content = { key: originalKey({ site_id: siteId, id: file.id }), ...file, etag: `"${file.sha256}"` };
    return send(deps, content, { request, reply });
  });
  app.get('/media/:id/:width/:name', { config }, async (request, reply) => {
    const { siteId, file } = await fileOf(deps, request);
    const width = Number(textsOf(request.params).width);
    if (!file.widths.includes(width)) throw new ApiError('not_found');
    requireAddress(request, mediaSizeUrl(file, width));
    const key = sizeKey({ site_id: siteId, id: file.id }, width);
    const etag = `"${file.sha256}-${width}"`;
    return send(deps, { ...file, key, type: 'image/webp', etag, size: null }, { request, reply });
  });
}

async function fileOf(deps: Deps, request: FastifyRequest) {
  const { id = '' } = textsOf(request.params);
  if (!recordIdPattern.test(id)) throw new ApiError('not_found');
  const site = await deps.findVisitedSite(hostName(request.headers.host));
  // At an address that belongs to no site, the studio names the site in a cookie.
  const siteId = found(site?.id ?? readPlainCookie(request.headers, mediaSiteCookie));
  if (!recordIdPattern.test(siteId)) throw new ApiError('not_found');
  const file = found(await deps.findFile(siteId, id));
  const own = { site_id: siteId, id };
  if (file.protected && !opensFile(deps.secrets, own, textsOf(request.query), deps.clock.now()))
    throw new ApiError('not_found');
  return { siteId, file };
}

/** Requires the file's only address, so that a link cannot pretend that the file is something else. */
function requireAddress(request: FastifyRequest, address: string) {
  const requested = request.url.split('?', 1)[0] ?? '';
  if (decodeURIComponent(requested) !== decodeURIComponent(address)) throw new ApiError('not_found');
}

async function send({ media }: Deps, content: Content, { request, reply }: Http) {
  const { key, type, name, etag, size } = content;
  const { 'if-none-match': ifNoneMatch, 'if-range': condition, range: wanted } = request.headers;
  if (ifNoneMatch && hasTag(ifNoneMatch, etag))
    return sendUnchanged(request, reply.headers(headersOf(content)));
  const isDivisible = size !== null && (condition === undefined || condition === etag);
  const range = isDivisible ? readRange(wanted, size) : null;
  if (range === 'unsatisfiable') return reply.code(416).header('Content-Range', `bytes */${size}`).send();
  const isHead = request.method === 'HEAD';
  // Errors must be answered without these headers; otherwise caches would store them permanently.
  const bytes = isHead ? Readable.from([]) : await media.get(key, range ?? undefined);
  if (!bytes) {
    request.log.error({ key }, 'media file missing from the media store; answered with 404');
    throw new ApiError('not_found');
  }
  reply.type(type).headers(headersOf(content));
  if (!isShown(type)) reply.header('Content-Disposition', attachment(name));
  if (size !== null) reply.header('Accept-Ranges', 'bytes');
  if (size !== null) reply.header('Content-Length', range ? range.last - range.first + 1 : size);
  if (range) reply.code(206).header('Content-Range', `bytes ${range.first}-${range.last}/${size}`);
  return reply.send(bytes);
}

/** Policy of files: they run no script, and cannot reach the site. */
const sandboxed = "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'";

/** Policy of PDF files: browsers show none in a sandbox, but their viewers are isolated from the site. */
const withoutScript = "script-src 'none'; form-action 'none'; base-uri 'none'";

/** Headers of a file that never changes under its address. */
const headersOf = ({ type, etag, protected: isProtected }: Content) => ({
  ETag: etag,
  'Cache-Control': isProtected ? 'private, no-store' : 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': type === 'application/pdf' ? withoutScript : sandboxed,
  'Cross-Origin-Resource-Policy': 'cross-origin',
});

const isShown = (type: MediaType) => /^(image|audio|video)\//.test(type) || type === 'application/pdf';

/** Creates the header value that makes browsers download a file under its name (RFC 6266). */
const attachment = (name: string) => `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
