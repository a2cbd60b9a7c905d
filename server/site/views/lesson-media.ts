import { html } from 'hono/html';
import type { SignedFile } from '../../../shared/contract/features/media.ts';
import { lessonVideoOf } from '../../../shared/contract/features/video-address.ts';
import type { Visit } from '../page.ts';
import { nothing, outLink, type View } from './parts.ts';

interface ShownLesson {
  lesson: { title: string };
  video_url: string;
  /** Queries that open the protected files of the lesson. */
  files: readonly SignedFile[];
}

/**
 * Video of a lesson, and the origin of its frame, which the page must name in `PageContent.frame`. The page must declare the query
 * parameter `play`: without `play=1`, nothing is requested from other sites.
 */
export function lessonVideo(
  { strings, origin, publicOrigin, query }: Visit,
  { lesson: { title }, video_url, files }: ShownLesson,
): { view: View; frame?: string } {
  const video = lessonVideoOf(video_url, [origin, publicOrigin]);
  const label = `${strings.video}: ${title}`;
  if (video === null) return { view: nothing };
  if (video.kind === 'link')
    return { view: html`<p class="links">${outLink(video.href, strings.watchVideo, title)}</p>` };
  if (video.kind === 'file') {
    const src = signedAddress(video.src, [], files);
    // Files of other sites are requested only when the reader plays them.
    const preload = video.isOwn ? 'metadata' : 'none';
    return {
      view: html`<figure class="player" id="video"><video controls preload="${preload}" src="${src}" aria-label="${label}"></video></figure>`,
    };
  }
  const { provider, src } = video;
  if (query.play !== '1')
    return {
      view: html`<figure class="player poster" id="video"><a class="button" href="?play=1#video">${strings.playFrom(provider)}<span class="heard">: ${title}</span></a></figure>`,
    };
  return {
    view: html`<figure class="player" id="video"><iframe src="${src}" title="${label}" allow="autoplay; encrypted-media; fullscreen; picture-in-picture" referrerpolicy="strict-origin-when-cross-origin"></iframe></figure>`,
    frame: video.origin,
  };
}

/** Adds signatures to the addresses of protected files in a rendered body, so that they open for the reader of the page. */
export function withSignedFiles(
  { origin, publicOrigin }: Pick<Visit, 'origin' | 'publicOrigin'>,
  body: string,
  files: readonly SignedFile[],
): string {
  if (files.length === 0) return body;
  const escaped = files.map(({ id, query }) => ({ id, query: query.replaceAll('&', '&amp;') }));
  const signed = (address: string) => signedAddress(address, [origin, publicOrigin], escaped);
  return body.replace(
    / (src|srcset|href|poster)="([^"]*)"/g,
    (_, name: string, value: string) =>
      // A `srcset` contains addresses and widths, separated by spaces and commas.
      ` ${name}="${name === 'srcset' ? value.replace(/[^\s,]\S*[^\s,]/g, signed) : signed(value)}"`,
  );
}

/**
 * Returns the signed path of a protected file among `files`. Other addresses, and those of other sites, are returned
 * unchanged.
 */
function signedAddress(address: string, ownOrigins: readonly string[], files: readonly SignedFile[]): string {
  const origin = ownOrigins.find((own) => address.startsWith(`${own}/`)) ?? '';
  const [, path, id, fragment = ''] =
    /^(\/media\/([a-z0-9]{15})\/[^?#]*)(?:\?[^#]*)?(#.*)?$/.exec(address.slice(origin.length)) ?? [];
  const file = files.find((each) => each.id === id);
  return file ? `${path}?${file.query}${fragment}` : address;
}
