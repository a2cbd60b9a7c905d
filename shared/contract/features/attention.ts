import { z } from 'zod';
import { titled } from '../documented.ts';
import { timestamp } from '../timestamps.ts';

/** Reasons for which an owner should look at a sale, the most urgent first. */
export const attentionReasons = [
  'key_broken',
  'disputed',
  'blocked',
  'past_due',
  'two_memberships',
  'refunded',
] as const;

export const Attention = titled('Attention', {
  id: z.string().describe('ID of the purchase or membership; `connection` for the connection'),
  collection: z.enum(['purchases', 'memberships']).nullable().describe('Null for the connection'),
  reason: z.enum(attentionReasons),
  email: z.string().describe('Email address of the buyer or member; empty for the connection'),
  amount: z.number().nullable(),
  currency: z.string().nullable(),
  at: timestamp('Time of the last change'),
  livemode: z.boolean(),
  url: z.string().nullable().describe('Page of the payment or membership at Stripe; null if there is none'),
}).describe('Sale that needs an owner’s attention');
