import type { DeliveryGap } from '../../../shared/contract/features/mail-delivery.ts';
import type {
  MailingStatus,
  PauseReason,
  RecipientState,
} from '../../../shared/contract/features/mailings.ts';
import { composing, readers } from './composing.ts';

/** Posts that are mailed to the readers of the site. */
export const newsletters = {
  newsletters: {
    title: 'Newsletters',
    lead: 'Posts that were mailed to your subscribers, and what became of each copy.',
    none: 'No newsletter yet',
    noneLead: 'Open a post that readers can see, and choose “Send as newsletter”.',
    toPosts: 'To your posts',
    subject: 'Subject',
    readers,
    acceptedOf: (accepted: number, all: number) => `${accepted.toLocaleString()} of ${readers(all)} got it`,
    nobody: 'Nobody got it',
    expected: (count: number) => `For ${readers(count)}`,
    statuses: {
      scheduled: 'Scheduled',
      preparing: 'Getting ready',
      sending: 'On its way',
      paused: 'Paused',
      sent: 'Sent',
      cancelled: 'Cancelled',
    } satisfies Record<MailingStatus, string>,
    willBegin: (when: string, count: number) => `It goes out on ${when} to ${readers(count)}.`,
    waitsForTurn: (count: number) => `It goes out in a moment to ${readers(count)}.`,
    why: {
      by_owner: 'You paused it. Nothing more is sent until you resume it.',
      post_not_public:
        'Readers can’t see the post any more, so nothing more is sent. Publish it, then resume it.',
      body_not_laid_out:
        'The post takes too long to lay out. Shorter tables, code and lists help; then resume it.',
      relay_away: 'The mail server can’t be reached. Nobody is lost: resume it once it is back.',
      too_many_refused:
        'Too many of the first mails were refused, so the rest waits. Look at what the servers said below before you resume it.',
      refused_by_policy:
        'Ten mail servers or more refused mail from here, at once or afterwards, whoever it was for. Whoever runs this service should look at that before you resume it.',
    } satisfies Record<PauseReason, string>,
    whyCancelled: 'Readers couldn’t see the post when it was to go out, so nothing was sent.',
    progress: 'How far it is',
    settled: (settled: number, all: number) => `${settled.toLocaleString()} of ${readers(all)} done`,
    figures: 'What became of the copies',
    counted: {
      accepted: 'Got it',
      waiting: 'Waiting',
      refused: 'Refused',
      bounced: 'Came back',
      complained: 'Complained',
      skipped: 'Passed over',
      unknown: 'In doubt',
    },
    doubts: (count: number, isRepeated: boolean) =>
      `The connection broke off while ${count === 1 ? 'one copy was' : `${count.toLocaleString()} copies were`} handed over, so nobody knows whether ${count === 1 ? 'it' : 'they'} arrived. ${isRepeated ? 'After ten minutes each is sent once more, so that some readers may get two.' : 'None is sent again, so that nobody gets two.'}`,
    toPost: 'Open the post',
    frozen: (when: string) => `As the post was on ${when}. What you changed since shows on your site alone.`,
    narrowed: (to: string) => `Only to ${to}.`,
    cameFrom: (places: string) => `those who came from ${places}`,
    members: (tiers: string) => `members with ${tiers}`,
    and: ' and ',
    pause: 'Pause',
    paused: 'It is paused. Copies that are being handed over still arrive.',
    resume: 'Resume',
    resumed: 'It goes on',
    cancelIt: 'Cancel the newsletter',
    cancelOne: (subject: string) => `Cancel “${subject}”?`,
    cancelLead: (waiting: number, isNew: boolean) =>
      isNew
        ? 'Nobody gets it. You can send the post another time.'
        : `${waiting === 1 ? 'One reader who waits' : `${waiting.toLocaleString()} readers who wait`} for it get${waiting === 1 ? 's' : ''} nothing. What was sent can’t be taken back.`,
    cancelled: 'It is cancelled',
    retry: 'Send again to the refused',
    retried: (count: number) =>
      count === 0 ? 'There is nobody to send it to again' : `It is sent again to ${readers(count)}`,
    recipients: 'Readers',
    recipient: 'Reader',
    noRecipients: 'Its readers are written down when it begins.',
    noneSo: 'No readers in this state.',
    states: {
      queued: 'Waits',
      sending: 'Being handed over',
      retrying: 'Tried again soon',
      unknown: 'In doubt',
      accepted: 'Got it',
      refused: 'Refused',
      skipped: 'Passed over',
      bounced: 'Came back',
      complained: 'Complained',
    } satisfies Record<RecipientState, string>,
    next: (when: string) => `Next: ${when}`,
    bodies: { open: 'Whole post', closed: 'Excerpt and link' },
    body: 'What it holds',
    replies: {
      '5.1': 'there is no such mailbox',
      '5.2.1': 'the mailbox is closed',
      '5.2.2': 'the mailbox is full',
      '4.2.2': 'the mailbox is full',
      '5.7': 'mail from here is not wanted',
      '4.7': 'mail from here is put off',
      '5.': 'the server refused it',
      '4.': 'the server put it off',
    },
    reader: {
      received: 'What was sent to this reader',
      nothing: 'No newsletter has gone to this reader yet.',
      since: (when: string, source: string) => `Since ${when}${source ? `, from ${source}` : ''}`,
      confirmed: (when: string) => `confirmed on ${when}`,
      ended: (when: string) => `ended on ${when}`,
    },
    ...composing,
    delivery: {
      title: 'What keeps newsletters from arriving',
      missing: {
        mail_server: 'No mail can be sent yet: whoever runs this service has to name a mail server.',
        mail_kept:
          'Mail is kept here instead of sent, so that you can try things out: nobody gets a newsletter.',
        signature:
          'This service doesn’t sign mail (DKIM). Unless its mail server does, many mailboxes take it for spam: ask whoever runs the service.',
        bounce_domain:
          'Newsletters that come back aren’t noticed, so addresses that are gone stay on your list, which mailboxes hold against you. Whoever runs this service can name a domain for them.',
        postal_address:
          'Your newsletters say nowhere where letters on paper reach you, which many laws want: add it below.',
      } satisfies Record<DeliveryGap, string>,
    },
  },
} as const;
