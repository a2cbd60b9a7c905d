import { keysOf } from '../../../../shared/contract/names-of.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import type { Ranked } from './ranking.tsx';

export type OwnAnalytics = OutputOf<ApiClient['studio']['analytics']['get']>;

/** What stands in the address of a view that is filtered by it. */
export const filters = {
  path: ['path'],
  referrer: ['referrer'],
  campaign: ['utm_campaign', 'utm_source', 'utm_medium'],
} as const;

/** What was viewed most, by kind; kinds that the plan leaves out are missing. */
export const rankingsOf = ({ popular_pages, top_referrers, utm }: OwnAnalytics) =>
  ({
    path: popular_pages.map(({ path, views }) => ({ label: path, views, only: { path } })),
    referrer: top_referrers?.map(({ referrer, views }) => ({ label: referrer, views, only: { referrer } })),
    campaign: utm?.map(({ source, medium, campaign, views }) => ({
      label: [campaign, source, medium].filter(Boolean).join(' · '),
      views,
      only: { utm_campaign: campaign, utm_source: source, utm_medium: medium },
    })),
  }) satisfies Record<keyof typeof filters, Ranked[] | undefined>;

export const rankings = keysOf(filters);
