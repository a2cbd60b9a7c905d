import type { OwnMailKind } from '../../../shared/contract/features/outbox.ts';

/** UI strings of the outbox, which stores email during a trial. */
export const outbox = {
  outbox: {
    title: 'Outbox',
    lead: 'Emails your readers would have received. There is no mail server, so nothing leaves this machine.',
    none: 'No mail yet',
    noneLead:
      'Send or test a newsletter: each email is stored here as its reader would receive it. Emails to new subscribers and buyers appear here, too.',
    mail: 'Mail',
    kind: 'Type',
    when: 'Stored',
    kinds: { newsletter: 'Newsletter', confirmation: 'Confirmation', sale: 'Purchase' } satisfies Record<
      OwnMailKind,
      string
    >,
    noSubject: 'No subject',
    between: (from: string, to: string) => `From ${from} to ${to}`,
    show: 'Format',
    forms: { html: 'HTML', text: 'Plain text' },
  },
} as const;
