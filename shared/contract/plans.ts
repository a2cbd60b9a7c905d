import { keysOf } from './names-of.ts';

/** What each plan of a site includes. */
export const plans = {
  free: { api: false, mcp: false, analytics: 'none' },
  creator: { api: true, mcp: true, analytics: 'basic' },
  pro: { api: true, mcp: true, analytics: 'full' },
} as const satisfies Record<string, { api: boolean; mcp: boolean; analytics: 'none' | 'basic' | 'full' }>;

export type PlanName = keyof typeof plans;

export const planNames = keysOf(plans);
