import { keysOf } from './names-of.ts';

/**
 * Features and limits of each plan. `recipients` is the number of newsletter emails per month. `media` is in bytes:
 * `file` is the maximum size of a file, `all` that of all files together.
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
