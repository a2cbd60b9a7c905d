import { z } from 'zod';
import { documented } from '../documented.ts';
import { optionalInputs, text } from '../fields.ts';
import { RecordId } from '../record-id.ts';
import { DateTime, timestamp, toDate } from '../timestamps.ts';
import { defineAudienceTable, emailField } from './audience-table.ts';

/** Statuses of a subscription. Only `active` subscribers receive the newsletter. */
export const subscriberStatuses = ['pending', 'active', 'unsubscribed', 'bounced', 'complained'] as const;

const status = documented(
  z.enum(subscriberStatuses),
  'Status of the subscription; only `active` subscribers receive newsletters',
  'active',
);

const email = emailField('Email address');

const declared = defineAudienceTable({
  collection: 'subscribers',
  fields: {
    email,
    name: text(200, 'Name of the subscriber', 'Grace Lin'),
    source: text(200, 'Source of the subscription, such as the form that was used', 'footer'),
  },
  searched: 'search',
  filters: {
    email: { input: email.input, is: 'key', column: 'email' },
    status: { input: status, is: 'equal', column: 'status' },
  },
});

/** Newsletter subscriber. `create` is the input of visitors at `site.newsletter.subscribe`. */
export const subscriber = {
  ...declared,
  read: declared.read
    .extend({
      status,
      confirmed_at: timestamp(
        'Confirmation time; null if the subscription was not confirmed, or needed no confirmation',
      ).nullable(),
      ended_at: timestamp('Time at which the subscription ended; null if it has not ended').nullable(),
    })
    .meta({ title: 'Subscriber' }),
};

/** Input for adding a subscriber, by the owner or over the API. The caller may have obtained consent by other means. */
export const AddSubscriber = declared.create.extend({
  confirmed_at: DateTime.transform(toDate)
    .describe('Time at which the subscriber gave consent elsewhere; no confirmation email is sent then')
    .nullable()
    .optional(),
});

const { name, source } = declared.fields;

export const UpdateSubscriber = z.strictObject({
  id: RecordId,
  ...optionalInputs({ name, source }),
  status: z
    .literal('unsubscribed')
    .describe('Ends the subscription; only the subscriber can start it again')
    .optional(),
});

/** Result of adding a subscriber. The status shows whether they must confirm first. */
export const AddedSubscriber = subscriber.read
  .pick({ id: true, status: true, created: true })
  .meta({ title: 'AddedSubscriber', description: 'New or existing subscriber' });

/** Columns of a subscriber who receives the newsletter immediately, without confirmation. */
export const activeSubscriber = {
  status: 'active' as const,
  confirm_sent_at: null,
  confirmed_at: null,
  ended_at: null,
  soft_bounces: 0,
  last_bounce_at: null,
};
