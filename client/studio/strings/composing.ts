import type { MailReader, MailWarning } from '../../../shared/contract/features/mailing-preview.ts';

export const readers = (count: number) => `${count.toLocaleString()} ${count === 1 ? 'reader' : 'readers'}`;

/** UI strings of the form that sends a newsletter. */
export const composing = {
  compose: {
    action: 'Send as newsletter',
    publishAndSend: 'Publish and send',
    title: 'Send as newsletter',
    back: 'Back to the post',
    closed: 'This post is not public',
    closedLead: 'Publish it for everyone first. Then you can send it to your subscribers.',
    toPost: 'To the post',
    who: 'Recipients',
    nobody: 'No subscribers yet',
    nobodyLead: 'Visitors subscribe with the form on your site, or you add someone yourself.',
    toSubscribers: 'To your subscribers',
    noneOfThese: 'No subscriber matches. Remove one of the filters.',
    allOpen: 'Everyone receives the whole post.',
    split: (open: number, closed: number) =>
      open === 0
        ? 'No one may read the whole post: everyone receives the excerpt with a link.'
        : `${open.toLocaleString()} receive the whole post, ${closed.toLocaleString()} the excerpt with a link.`,
    tiers: 'Member access',
    tiersAny: 'With or without an account',
    sources: 'Subscriber source',
    sourcesAny: 'Any source',
    noSource: 'Unknown source',
    counted: (name: string, count: number) => `${name} (${count.toLocaleString()})`,
    subject: 'Subject',
    preheader: {
      label: 'Preview text',
      description:
        'Shown beside the subject in the inbox. If empty, the excerpt or the beginning of the post.',
    },
    when: 'When',
    now: 'Now',
    later: 'Later',
    at: 'Send on',
    atHelp: 'Until then you can change the post or cancel.',
    atDraft: (when: string) => `Not before the post is published on ${when}.`,
    atMissing: 'Choose a date and time',
    mailed: (when: string, count: number) => `This post was sent to ${readers(count)} on ${when}.`,
    toBeMailed: (when: string) => `A newsletter with this post will already be sent on ${when}.`,
    see: 'See results',
    noServer: 'There is no mail server, so nothing can be sent.',
    again: 'Send it again anyway',
    againMissing: 'Readers who received it get it twice. Tick this to confirm',
    notVisible: 'The post is not public at that time. Publish it, or choose a later time.',
    send: (count: number) => (count === 0 ? 'Send' : `Send to ${readers(count)}`),
    schedule: (count: number) => (count === 0 ? 'Schedule' : `Schedule for ${readers(count)}`),
    ask: (count: number) => `Send to ${readers(count)}?`,
    askLead: 'Sending starts immediately. Sent emails can’t be recalled.',
    askLater: (when: string) => `It will be sent on ${when}. Until then you can cancel it.`,
    sent: (count: number) => `Sending to ${readers(count)}`,
    scheduled: (when: string) => `Scheduled for ${when}`,
    unsaved: 'Unpublished changes are not included.',
  },
  preview: {
    title: 'Preview',
    as: 'Preview as',
    readers: {
      anonymous: 'Subscribers without an account',
      registered: 'Signed-in readers',
      paid: 'Buyers',
      members: 'Members',
    } satisfies Record<MailReader, string>,
    form: 'Format',
    forms: { desk: 'Desktop', dark: 'Dark', phone: 'Phone' },
    mail: 'Email preview',
    test: 'Send me a test',
    tested: (email: string) => `Test sent to ${email}`,
    refused: (reply: string | null) => `The mail server refused the email${reply ? `: ${reply}` : ''}`,
    tooManyTests: 'At most ten tests per hour. Try again later.',
    warnings: {
      not_public: 'This post is not public yet.',
      body_too_large:
        'The newsletter is too long for email programs, which would cut it off. Readers get the excerpt with a link.',
      body_not_laid_out:
        'The post takes too long to render, so it can’t be mailed. Shorten tables, code blocks or lists.',
      no_excerpt: 'The newsletter has no excerpt and no preview text: inboxes show only the subject.',
      no_postal_address: 'The newsletter has no postal address, which many laws require.',
    } satisfies Record<MailWarning, string>,
    toSettings: 'Add address',
  },
} as const;
