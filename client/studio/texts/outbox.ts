import type { OwnMailKind } from '../../../shared/contract/features/outbox.ts';

/** Mails that nobody sends, where the service is tried. */
export const outbox = {
  outbox: {
    title: 'Outbox',
    lead: 'What your readers would have got. There is no mail server here, so nothing leaves this machine.',
    none: 'No mail yet',
    noneLead:
      'Mail one of your posts, or try it out: each copy is kept here as its reader would get it. So is the question whether somebody wants your newsletter, where you have it asked.',
    mail: 'Mail',
    kind: 'Kind',
    when: 'Kept',
    kinds: { newsletter: 'Newsletter', confirmation: 'Confirmation' } satisfies Record<OwnMailKind, string>,
    noSubject: 'No subject',
    between: (from: string, to: string) => `From ${from} to ${to}`,
    show: 'Show it as',
    forms: { html: 'Designed', text: 'Plain text' },
  },
} as const;
