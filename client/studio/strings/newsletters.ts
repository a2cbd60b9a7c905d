import type {
  DeliveryGap,
  MailingStatus,
  PauseReason,
  RecipientState,
} from '../../../shared/contract/features/mailings.ts';
import { composing, readers } from './composing.ts';

export const newsletters = {
  newsletters: {
    title: 'Newsletters',
    lead: 'Posts sent to your subscribers, with the status of each email.',
    none: 'No newsletters yet',
    noneLead: 'Open a post that readers can see, and choose “Send as newsletter”.',
    toPosts: 'To your posts',
    subject: 'Subject',
    readers,
    acceptedOf: (accepted: number, all: number) =>
      `${accepted.toLocaleString()} of ${readers(all)} received it`,
    nobody: 'No one received it',
    expected: (count: number) => `For ${readers(count)}`,
    statuses: {
      scheduled: 'Scheduled',
      preparing: 'Preparing',
      sending: 'Sending',
      paused: 'Paused',
      sent: 'Sent',
      cancelled: 'Canceled',
    } satisfies Record<MailingStatus, string>,
    willBegin: (when: string, count: number) => `It will be sent to ${readers(count)} on ${when}.`,
    waitsForTurn: (count: number) => `It will be sent to ${readers(count)} in a moment.`,
    why: {
      by_owner: 'You paused this newsletter. Nothing is sent until you resume it.',
      post_not_public: 'The post is no longer public, so nothing more is sent. Publish it, then resume.',
      body_not_laid_out:
        'The post takes too long to render. Shorten tables, code blocks or lists, then resume.',
      relay_away: 'The mail server is unavailable. No reader is skipped: resume when it is back.',
      too_many_refused:
        'Too many of the first emails were refused, so sending stopped. Check the server replies below before you resume.',
      refused_by_policy:
        'At least ten mail servers refuse mail from this service, regardless of the recipient. Ask your operator to check this before you resume.',
    } satisfies Record<PauseReason, string>,
    whyCancelled: 'The post was not public at the scheduled time, so nothing was sent.',
    progress: 'Progress',
    settled: (settled: number, all: number) => `${settled.toLocaleString()} of ${readers(all)} done`,
    figures: 'Delivery status',
    unconfirmed: (count: number, isRepeated: boolean) =>
      `The connection broke while ${count === 1 ? '1 email was' : `${count.toLocaleString()} emails were`} being sent, so delivery is unconfirmed. ${isRepeated ? 'Each is sent again after ten minutes, so some readers may receive two.' : 'They are not sent again, so no reader receives two.'}`,
    toPost: 'Open the post',
    frozen: (when: string) => `Contains the post as of ${when}. Later changes appear only on your site.`,
    onlyTo: (to: string) => `Only to ${to}.`,
    cameFrom: (sources: string) => `subscribers from ${sources}`,
    members: (tiers: string) => `members with ${tiers}`,
    and: ' and ',
    pause: 'Pause',
    paused: 'Newsletter paused. Emails that are being sent still arrive.',
    resume: 'Resume',
    resumed: 'Newsletter resumed',
    cancelIt: 'Cancel newsletter',
    cancelOne: (subject: string) => `Cancel “${subject}”?`,
    cancelLead: (waiting: number, isNew: boolean) =>
      isNew
        ? 'No one receives it. You can send the post later.'
        : `${readers(waiting)} will not receive it. Sent emails can’t be recalled.`,
    cancelled: 'Newsletter canceled',
    retry: 'Resend to refused',
    retried: (count: number) => (count === 0 ? 'No one to resend to' : `Resending to ${readers(count)}`),
    recipients: 'Readers',
    recipient: 'Reader',
    noRecipients: 'The list of readers is created when sending starts.',
    noneSo: 'No readers with this status.',
    states: {
      queued: 'Waiting',
      sending: 'Sending',
      retrying: 'Retrying soon',
      unknown: 'Unconfirmed',
      accepted: 'Delivered',
      refused: 'Refused',
      skipped: 'Skipped',
      bounced: 'Bounced',
      complained: 'Complained',
    } satisfies Record<RecipientState, string>,
    next: (when: string) => `Next: ${when}`,
    bodies: { open: 'Whole post', closed: 'Excerpt and link' },
    body: 'Content',
    replies: {
      '5.1': 'the mailbox does not exist',
      '5.2.1': 'the mailbox is closed',
      '5.2.2': 'the mailbox is full',
      '4.2.2': 'the mailbox is full',
      '5.7': 'the server blocks mail from this service',
      '4.7': 'the server delays mail from this service',
      '5.': 'the server refused it',
      '4.': 'the server refused it temporarily',
    },
    reader: {
      received: 'Newsletters sent to this reader',
      nothing: 'No newsletter has been sent to this reader yet.',
      since: (when: string, source: string) => `Added ${when}${source ? `, source: ${source}` : ''}`,
      confirmed: (when: string) => `confirmed on ${when}`,
      ended: (when: string) => `ended on ${when}`,
    },
    ...composing,
    delivery: {
      title: 'Delivery problems',
      missing: {
        mail_server: 'No mail can be sent: the operator of this service must set up a mail server.',
        mail_kept: 'Test mode: mail is stored here instead of being sent, so no one receives newsletters.',
        signature:
          'This service does not sign mail (DKIM). Unless its mail server does, many mailboxes treat it as spam. Ask your operator.',
        bounce_domain:
          'Bounces are not processed, so dead addresses stay on your list and hurt your sender reputation. Your operator can set up a bounce domain.',
        postal_address: 'Your newsletters have no postal address, which many laws require. Add it below.',
      } satisfies Record<DeliveryGap, string>,
    },
  },
} as const;
