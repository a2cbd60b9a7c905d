import type { ServerResponse } from 'node:http';
import { StripeRefusal } from './refusal.ts';

/** Faults of the API and of webhooks, by switch. Shares are from 0 to 1, drawn for each call or webhook. */
export interface Faults {
  /** Account whose calls fail. Null stands for all. */
  account: string | null;
  /** Share of calls that are refused before anything is done. */
  status429: number;
  /** Share of calls that fail after they are done: Stripe stores the failure under the idempotency key. */
  status500: number;
  /** Share of calls that are never answered and not done. */
  hang: number;
  /** Share of calls whose connection is closed after they are done. */
  cut: number;
  /** Share of webhooks that are sent twice. */
  duplicate: number;
  /** Share of webhooks that are never sent. */
  drop: number;
  /** True to hold webhooks until `sendHeld`. */
  delay: boolean;
  /** True to send webhooks in random order, some of them only with `sendHeld`. */
  shuffle: boolean;
}

export const noFaults = (): Faults => ({
  ...{ account: null, status429: 0, status500: 0, hang: 0, cut: 0 },
  ...{ duplicate: 0, drop: 0, delay: false, shuffle: false },
});

/** Outcome of a call. With the last two it is done. */
export type GatewayFault = '429' | '500' | 'hang' | 'cut before' | 'cut' | '500 after';

/** Draws the outcome of a call. Null means that it is answered. */
export function drawFate(faults: Faults, account: string, random: () => number): GatewayFault | null {
  if (faults.account !== null && faults.account !== account) return null;
  if (random() < faults.status429) return '429';
  if (random() < faults.hang) return 'hang';
  if (random() < faults.status500) return '500 after';
  if (random() < faults.cut) return 'cut';
  return null;
}

/** Applies an outcome that comes before the call is done. Returns true if the call ends with it. */
export function endBefore(fate: GatewayFault | null, response: ServerResponse): boolean {
  if (fate === '429')
    throw new StripeRefusal(429, 'Too many requests hit the API too quickly.', { code: 'rate_limit' });
  if (fate === 'cut before') response.socket?.destroy();
  return fate === 'cut before' || fate === 'hang';
}

export const unexpected = () => new StripeRefusal(500, 'An unknown error occurred');
