import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { mediaSizeUrl } from '../../../shared/contract/features/media-address.ts';
import type { ApiClient, OutputOf } from '../../sdk/index.ts';
import { useApi } from './api.tsx';
import { queryOf } from './queries.ts';

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
