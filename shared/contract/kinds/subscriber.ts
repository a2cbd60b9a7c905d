import { text } from '../fields.ts';
import { defineKind, emailField } from './kind.ts';

/** Who gets the newsletter. What `create` takes is what a visitor sends to `site.newsletter.subscribe`. */
export const subscriber = defineKind({
  collection: 'subscribers',
  fields: {
    email: emailField('E-mail address'),
    name: text(200, 'Name', 'Grace Lin'),
    source: text(200, 'Where the form was', 'footer'),
  },
  searched: ['email', 'name', 'source'],
});

/** Whether somebody gets the newsletter: who has not confirmed yet, or does no longer, gets nothing. */
export const subscriberStatuses = ['pending', 'active', 'unsubscribed', 'bounced', 'complained'] as const;

/** Of who gets it, from the first moment on. */
export const activeSubscriber = {
  status: 'active' as const,
  confirm_sent_at: null,
  confirmed_at: null,
  ended_at: null,
  soft_bounces: 0,
  last_bounce_at: null,
};
