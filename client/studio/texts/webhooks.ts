import type { DeliveryError } from '../../../shared/contract/features/webhooks.ts';

export const webhooks = {
  webhooks: {
    title: 'Webhooks',
    lead: 'Tell other services what happens on your site, the moment it happens.',
    add: 'Add webhook',
    edit: 'Edit webhook',
    none: 'No webhooks yet',
    noneLead: 'Give an address of another service, and choose what it should hear of.',
    address: { label: 'Address', description: 'https, and reachable from the internet' },
    events: 'What it is told of',
    eventsMissing: 'Choose at least one',
    wildcards: (names: string) =>
      `Registered for ${names}. That stays until you choose other events here, which are then listed one by one.`,
    created: 'The webhook’s secret',
    secretLead: 'The receiver checks signatures with it. Copy it now: it is shown only this once.',
    failing: (count: number) => `${count} failed in a row`,
    switchedOff: 'Switched off after failures',
    whyOff: (count: number) =>
      `${count} attempts in a row failed, so nothing is sent any more. Switch it on to begin anew.`,
    enable: 'Switch on',
    enabled: 'The webhook is switched on; its failures count from zero',
    disabled: 'The webhook is switched off',
    deleteOne: 'Delete this webhook?',
    deleteLead: 'Its address hears nothing more, and the record of its deliveries goes.',
    test: 'Send test',
    testArrived: 'It arrived',
    answered: (status: number | null, ms: number) =>
      status === null ? `No answer after ${ms} ms` : `Answered ${status} after ${ms} ms`,
    deliveries: 'Deliveries',
    delivery: 'Delivery',
    showDelivery: (event: string) => `Show what was sent: ${event}`,
    bodyGone: 'The event is more than seven days old and no longer kept.',
    noAttempts: 'No attempt has ended yet.',
    attempt: 'Attempt',
    byHand: (attempt: number) => `${attempt}, by hand`,
    took: 'Took',
    sendAgain: 'Send again',
    sentAgain: 'One more attempt is being made',
    replay: 'Send missed events',
    replayAction: 'Send',
    replayLead:
      'Every event of the last seven days that it should have heard of, once each, the oldest first.',
    replaySince: 'Since',
    replayDelivered: 'Also those that were delivered',
    replayed: (count: number) =>
      count === 0
        ? 'There was nothing to send'
        : count === 1
          ? 'One event is being sent'
          : `${count} events are being sent`,
    rotate: 'Rotate secret',
    rotateOne: 'Rotate this webhook’s secret?',
    rotateLead:
      'Deliveries are signed with a new secret from now on. For 24 hours webhook-signature holds a signature by the present one, too.',
    rotated: 'The webhook’s new secret',
    overlap: (until: string) =>
      `Copy it now: it is shown only this once. The previous secret signs along until ${until}.`,
    noDeliveries: 'Nothing was sent yet. Send a test to see the first one.',
    noneSo: 'No deliveries in this state.',
    event: 'Event',
    attempts: 'Attempts',
    answer: 'Answer',
    nextAttempt: (when: string) => `Next attempt: ${when}`,
    statuses: {
      pending: 'On its way',
      delivered: 'Delivered',
      retrying: 'Tried again soon',
      failed: 'Failed',
      cancelled: 'Cancelled',
    },
    reasons: {
      timeout: 'No answer in time',
      dns_failure: 'The host name leads nowhere',
      forbidden_address: 'The address is not on the internet',
      connection_failed: 'Nobody accepted the connection',
      tls_error: 'Its certificate can’t be trusted',
      redirect: 'It answered with a redirect',
      http_status: 'It refused',
      response_too_large: 'Its answer was too long',
      secret_unreadable: 'Its signing secret can’t be read; make the webhook anew',
    } satisfies Record<DeliveryError, string>,
  },
} as const;
