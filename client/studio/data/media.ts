import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { mediaSiteCookie } from '../../../shared/contract/features/media.ts';
import { mediaSizeUrl } from '../../../shared/contract/features/media-address.ts';
import type { ApiClient, OutputOf } from '../../sdk/index.ts';
import { setCookie } from '../ui/browser-storage.ts';
import { useApi } from './api.tsx';
import { queryOf } from './queries.ts';
import type { SessionStore } from './session.ts';

/** A file as its owner sees it. */
export type MediaFile = OutputOf<ApiClient['studio']['media']['list']>['items'][number];

/** The address of the smallest copy that is at least so wide; of the file itself where there is none yet. */
export function copyOf(file: MediaFile, leastWidth: number): string {
  const width = file.widths.find((item) => item >= leastWidth);
  return width === undefined ? file.url : mediaSizeUrl(file, width);
}

/** Where it is cut off, as CSS. */
export const positionOf = ({ focus }: MediaFile) => (focus ? `${focus.x}% ${focus.y}%` : undefined);

/** The files of the site, newest first, fetched page by page. */
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

const mediaFileQuery = (api: ApiClient, id: string) => queryOf(['media', id], api.studio.media.get, { id });

/** One of them; nothing is asked for where the id is empty. */
export const useMediaFile = (id: string) => useQuery({ ...mediaFileQuery(useApi(), id), enabled: id !== '' });

/**
 * Says by a cookie whose files are wanted, for where the studio stands at an address that is no site's own: pictures go out
 * without the session. Tabs of several sites share it, so each says so anew when it comes to the front.
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
