import { keysOf } from './names-of.ts';

/**
 * What each plan of a site includes. Of media, in bytes: `file` is the largest one, `all` is for all together. `recipients`
 * of mailings are of a month.
 */
export const plans = {
  free: { api: false, mcp: false, analytics: 'none', recipients: 0, media: { file: 10e6, all: 500e6 } },
  creator: { api: true, mcp: true, analytics: 'basic', recipients: 10_000, media: { file: 10e6, all: 5e9 } },
  pro: { api: true, mcp: true, analytics: 'full', recipients: 250_000, media: { file: 50e6, all: 50e9 } },
} as const satisfies Record<string, Plan>;

interface Plan {
  api: boolean;
  mcp: boolean;
  analytics: 'none' | 'basic' | 'full';
  recipients: number;
  media: { file: number; all: number };
}

export type PlanName = keyof typeof plans;

export const planNames = keysOf(plans);
