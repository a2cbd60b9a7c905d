import type { DeliveryGap } from '../../../shared/contract/mail-delivery.ts';
import type { MailReader, MailWarning } from '../../../shared/contract/mailing-preview.ts';
import type { MailingStatus, PauseReason, RecipientState } from '../../../shared/contract/mailings.ts';

const readers = (count: number) => `${count.toLocaleString()} ${count === 1 ? 'reader' : 'readers'}`;

/** Posts that are mailed to the readers of the site. */
export const newsletters = {
  newsletters: {
    title: 'Newsletters',
    lead: 'Posts that were mailed to your subscribers, and what became of each copy.',
    none: 'No newsletter yet',
    noneLead: 'Open a post that readers can see, and choose “Send as newsletter”.',
    toPosts: 'To your posts',
    anyStatus: 'Every state',
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
    compose: {
      action: 'Send as newsletter',
      title: 'Send as newsletter',
      back: 'Back to the post',
      closed: 'Readers can’t see this post',
      closedLead: 'Publish it for everybody first. Then you can send it to your subscribers.',
      toPost: 'To the post',
      who: 'Who gets it',
      nobody: 'Nobody gets your newsletter yet',
      nobodyLead: 'Visitors subscribe through the form of your site, or you add somebody yourself.',
      toSubscribers: 'To your subscribers',
      noneOfThese: 'Nobody is among these. Leave out one of the choices.',
      allOpen: 'Each gets the whole post.',
      split: (open: number, closed: number) =>
        open === 0
          ? 'None of them may read all of it: each gets the excerpt with a link.'
          : `${open.toLocaleString()} may read all of it, ${closed.toLocaleString()} ${closed === 1 ? 'gets' : 'get'} the excerpt with a link.`,
      tiers: 'Only members with',
      tiersAny: 'With an account or without',
      sources: 'Only who came from',
      sourcesAny: 'From anywhere',
      noSource: 'Nowhere in particular',
      counted: (name: string, count: number) => `${name} (${count.toLocaleString()})`,
      subject: 'Subject',
      preheader: 'Preview text',
      preheaderHelp: 'Stands beside the subject in lists of mail. Left empty it is the excerpt.',
      when: 'When',
      now: 'Now',
      later: 'Later',
      at: 'Send on',
      atHelp: 'In your own time zone. Until it begins you can still change the post, and cancel.',
      atDraft: (when: string) => `The post is published on ${when}: not before that.`,
      atMissing: 'Say when',
      mailed: (when: string, count: number) => `This post went out on ${when} to ${readers(count)}.`,
      toBeMailed: (when: string) => `This post goes out on ${when} already.`,
      see: 'See how it went',
      again: 'Send it once more all the same',
      againMissing: 'Whoever got it gets it twice: tick this if you mean it',
      notVisible: 'Readers can’t see this post at that moment. Publish it, or choose a later one.',
      send: (count: number) => (count === 0 ? 'Send' : `Send to ${readers(count)}`),
      schedule: (count: number) => (count === 0 ? 'Schedule' : `Schedule for ${readers(count)}`),
      ask: (count: number) => `Send to ${readers(count)}?`,
      askLead: 'It begins at once. What is sent can’t be taken back.',
      askLater: (when: string) => `It goes out on ${when}. Until then you can cancel it.`,
      sent: (count: number) => `On its way to ${readers(count)}`,
      scheduled: (when: string) => `It goes out on ${when}`,
      unsaved: 'What you have changed and not published is not in it.',
    },
    preview: {
      title: 'How it arrives',
      as: 'Shown to',
      readers: {
        anonymous: 'Subscribers without an account',
        registered: 'Anybody signed in',
        paid: 'Who bought it',
        members: 'Members',
      } satisfies Record<MailReader, string>,
      form: 'Form',
      forms: { desk: 'Desktop', phone: 'Phone' },
      mail: 'The mail',
      test: 'Send a test to me',
      tested: (email: string) => `A test is on its way to ${email}`,
      refused: (reply: string | null) => `The mail server refused it${reply ? `: ${reply}` : ''}`,
      tooManyTests: 'Ten tests an hour are the most. Try again later.',
      warnings: {
        not_public: 'Readers can’t see this post yet.',
        body_too_large:
          'It is too long for mail programs, which would cut it off: each reader gets the excerpt with a link.',
        body_not_laid_out:
          'The post takes too long to lay out, so it can’t be mailed. Shorter tables, code and lists help.',
        no_excerpt: 'It has neither excerpt nor preview text: lists of mail show its subject alone.',
        no_postal_address: 'It says nowhere where letters on paper reach you, which many laws want.',
      } satisfies Record<MailWarning, string>,
      toSettings: 'Add an address',
    },
    delivery: {
      title: 'What keeps newsletters from arriving',
      lacks: {
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
