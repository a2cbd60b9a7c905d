import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { mediaSiteCookie } from '../../../shared/contract/features/media.ts';
import { mediaSizeUrl } from '../../../shared/contract/features/media-address.ts';
import type { ApiClient, OutputOf } from '../../sdk/index.ts';
import { setCookie } from '../ui/browser-storage.ts';
import { useApi } from './api.tsx';
import { queryOf } from './queries.ts';
import type { SessionStore } from './session.ts';

/** A media file with all its fields, as staff read it. */
export type MediaFile = OutputOf<ApiClient['studio']['media']['list']>['items'][number];

/** Returns the URL that opens a file in the studio. The URL of a protected file works for some hours. */
export const viewOf = (file: MediaFile, url = file.url) => (file.access ? `${url}?${file.access}` : url);

/** Returns the URL of the narrowest rendition with at least this width, or of the file itself if there is none yet. */
export function renditionOf(file: MediaFile, minWidth: number): string {
  const width = file.widths.find((item) => item >= minWidth);
  return viewOf(file, width === undefined ? file.url : mediaSizeUrl(file, width));
}

/**
 * Returns the CSS position of an image that is cropped. Undefined if no focus point is set; then CSS centers the
 * image.
 */
export const positionOf = ({ focus }: MediaFile) => (focus ? `${focus.x}% ${focus.y}%` : undefined);

/** Returns the query of the site's files, newest first. It fetches them page by page, 48 at a time. */
export function useMediaFiles() {
  const { studio } = useApi();
  return useInfiniteQuery({
    queryKey: ['media'],
    queryFn: ({ pageParam, signal }) =>
      studio.media.list.query({ page: pageParam, per_page: 48 }, { signal }),
    initialPageParam: 1,
    getNextPageParam: ({ page, per_page, total }) => (page * per_page < total ? page + 1 : undefined),
  });
}

/** Returns the query of one file. It sends no request if `id` is empty. */
export const useMediaFile = (id: string) =>
  useQuery({ ...queryOf(['media', id], useApi().studio.media.get, { id }), enabled: id !== '' });

/**
 * Sets a cookie that names the site of requested images. Image requests carry no session, and the studio's address may not
 * belong to a site. Tabs of several sites share the cookie, so each sets it again when it comes to the front.
 */
export function nameMediaSite({ get, subscribe }: SessionStore) {
  const name = () => {
    const state = get();
    if (state.is === 'out') return;
    setCookie({ name: mediaSiteCookie, value: state.session.siteId, path: '/media' });
  };
  name();
  subscribe(name);
  window.addEventListener('focus', name);
  document.addEventListener('visibilitychange', name);
}
