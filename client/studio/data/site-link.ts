import { useQuery } from '@tanstack/react-query';
import { useApi } from './api.tsx';
import { siteQuery } from './queries.ts';

/** Gives where visitors find a path of the site, which may be at home elsewhere than the studio was opened. */
export function useSiteLink() {
  const { data: site } = useQuery(siteQuery(useApi()));
  return (path: string) => `${site?.origin ?? ''}${path}`;
}
