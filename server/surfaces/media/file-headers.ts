import type { MediaType } from '../../../shared/contract/media.ts';

/** Whatever a file holds, it runs nothing, and nothing of the site can be reached from it. */
const sandboxed = "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'";

/** Browsers show no PDF in a sandbox; what shows it is apart from the site anyway. */
const withoutScript = "script-src 'none'; form-action 'none'; base-uri 'none'";

/** Headers of a file that never changes under its address. */
export const headersOf = (type: MediaType, etag: string) => ({
  ETag: etag,
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': type === 'application/pdf' ? withoutScript : sandboxed,
  'Cross-Origin-Resource-Policy': 'cross-origin',
});

/** What browsers show by themselves. */
export const isShown = (type: MediaType) => /^(image|audio|video)\//.test(type) || type === 'application/pdf';

/** For what is kept rather than shown, under its name (RFC 6266). */
export const attachment = (name: string) => `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
