import type { MailReader, MailWarning } from '../../../shared/contract/features/mailing-preview.ts';

export const readers = (count: number) => `${count.toLocaleString()} ${count === 1 ? 'reader' : 'readers'}`;

/** What an owner reads before a newsletter goes out. */
export const composing = {
  compose: {
    action: 'Send as newsletter',
    publishAndSend: 'Publish and send',
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
    preheader: {
      label: 'Preview text',
      description:
        'Stands beside the subject in lists of mail. Left empty it is the excerpt, or how the post begins.',
    },
    when: 'When',
    now: 'Now',
    later: 'Later',
    at: 'Send on',
    atHelp: 'Until it begins you can still change the post, and cancel.',
    atDraft: (when: string) => `The post is published on ${when}: not before that.`,
    atMissing: 'Say when',
    mailed: (when: string, count: number) => `This post went out on ${when} to ${readers(count)}.`,
    toBeMailed: (when: string) => `This post goes out on ${when} already.`,
    see: 'See how it went',
    noServer: 'There is no mail server yet, so nothing can be sent.',
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
    forms: { desk: 'Desktop', dark: 'Dark', phone: 'Phone' },
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
} as const;
