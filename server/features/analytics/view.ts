import { isbot } from 'isbot';
import type { TrackView } from '../../../shared/contract/features/analytics.ts';

export interface PageView {
  site_id: string;
  day: string;
  path: string;
  referrer: string;
  utm_source: string;
  utm_medium: string;
  utm_campaign: string;
  visitor: string;
}

/** Whether a view is a person's, as far as its agent tells. */
export const isHuman = (agent: string) => agent !== '' && !isbot(agent);

/** A path without what may name a person: query string and fragment. */
export const barePath = (path: string) => path.replace(/[?#].*$/s, '');

/** Longest name of a host (RFC 1035, 2.3.4). */
const longestHost = 253;

/** The host a visitor came from; empty when unknown, or when it is the site itself. */
export function referrerHost({ referrer }: TrackView, ownHost: string): string {
  if (!referrer || !URL.canParse(referrer)) return '';
  const { hostname } = new URL(referrer);
  return hostname === ownHost || hostname.length > longestHost ? '' : hostname;
}
