import type { z } from 'zod';
import { Created, Updated } from '../../../shared/contract/envelopes.ts';
import { MailReports, MailReportsTaken } from '../../../shared/contract/features/mail-reports.ts';
import { AudienceCount, CountAudience } from '../../../shared/contract/features/mailing-audience.ts';
import {
  MailingPreview,
  PreviewMailing,
  PreviewOpenMailing,
  TestedMailing,
  TestMailing,
  TestOpenMailing,
} from '../../../shared/contract/features/mailing-preview.ts';
import {
  CreateMailing,
  ListMailings,
  ListReceived,
  ListRecipients,
  MailDelivery,
  Mailing,
  MailingPage,
  MailingRecipientPage,
  ReceivedPage,
  RetriedMailing,
} from '../../../shared/contract/features/mailings.ts';
import { ById } from '../../../shared/contract/record-id.ts';
import { Timestamp, toDate } from '../../../shared/contract/timestamps.ts';
import type { MailingKey } from '../../../shared/db/mailing-counts.ts';
import { type RecipientReport, takeReports } from '../../../shared/newsletter/feedback.ts';
import { getMailKey } from '../../../shared/newsletter/mail-key.ts';
import { readMessageId } from '../../../shared/newsletter/mail-tokens.ts';
import { staffProcedure } from '../../api/access/procedures.ts';
import { command, get, post } from '../../api/access/route.ts';
import type { Deps } from '../../api/deps.ts';
import { inTransaction } from '../../api/transaction.ts';
import { router, updates } from '../../api/trpc.ts';
import { cancelMailing, pauseMailing, resumeMailing, retryMailing } from './control-mailing.ts';
import { createMailing } from './create-mailing.ts';
import { type MailingScope, previewMailing, sendTest } from './preview-mailing.ts';
import {
  countAudience,
  findDeliveryGaps,
  getMailing,
  listMailings,
  listReceived,
  listRecipients,
} from './read-mailings.ts';

const path = '/v2/mailings';
const tag = 'mailings';
const reads = { scope: 'read:newsletter', tag } as const;
const writes = { scope: 'write:newsletter', tag } as const;
const sends = { scope: 'send:newsletter', tag } as const;

/** Receives reports on emails from a mail provider, whose webhooks the caller converts. */
const feedback = command({ ...writes, path: `${path}/feedback`, summary: 'Report bounces and complaints' })
  .input(MailReports)
  .output(MailReportsTaken)
  .mutation(async ({ ctx: { deps, siteId }, input: { items } }) => {
    const now = deps.clock.now();
    const reports = items.map(({ message_id, at, recipient, ...report }): RecipientReport => {
      const recipientId = message_id === undefined ? recipient : (readMessageId(message_id) ?? '');
      const earlier = Math.min(toDate(at ?? now).getTime(), now.getTime());
      return { ...report, recipient: recipientId, at: new Date(earlier) };
    });
    const site = { site_id: siteId, mailKey: await getMailKey(deps, siteId) };
    const known = await inTransaction(deps, siteId, (em) => takeReports(em.getKysely(), site, reports));
    return { known, unknown: items.length - known };
  });

const ofOwner = ({ deps, siteId }: MailingScope) => ({ database: deps.database, siteId, publicOnly: false });
const ofProgram = (scope: MailingScope) => ({ ...ofOwner(scope), publicOnly: true });

async function create({ ctx, input }: { ctx: MailingScope; input: z.output<typeof CreateMailing> }) {
  const { id, created } = await createMailing(ctx.deps, ctx.siteId, input);
  return { id, created: new Timestamp(created) };
}

const steered =
  <Result>(steer: (deps: Deps, mailing: MailingKey) => Promise<Result>) =>
  ({ ctx, input }: { ctx: MailingScope; input: { id: string } }) =>
    steer(ctx.deps, { site_id: ctx.siteId, mailing_id: input.id });

const pause = updates(steered(pauseMailing));
const resume = updates(steered(resumeMailing));
const cancel = updates(steered(cancelMailing));
const retry = steered(retryMailing);

const created = {
  errors: ['not_found', 'already_mailed', 'newsletter_limit', 'mail_not_configured'],
} as const;
const tested = { reachesOut: true, errors: ['busy', 'not_found', 'mail_not_configured'] } as const;
const refusesByState = { errors: ['mailing_state'] } as const;

const staff = staffProcedure('newsletter');

const steersOwn = staff.meta(refusesByState).input(ById);

const studio = router({
  preview: staff
    .meta({ changesNothing: true, errors: ['busy', 'not_found'] })
    .input(PreviewMailing)
    .output(MailingPreview)
    .mutation(({ ctx, input }) => previewMailing(ctx, { ...input, publicOnly: false })),
  test: staff
    .meta(tested)
    .input(TestMailing)
    .output(TestedMailing)
    .mutation(({ ctx, input }) => sendTest(ctx, { ...input, publicOnly: false })),
  audience: staff
    .input(CountAudience)
    .output(AudienceCount)
    .query(({ ctx, input }) => countAudience(ctx.deps, ctx.siteId, input)),
  delivery: staff
    .output(MailDelivery)
    .query(async ({ ctx }) => ({ missing: await findDeliveryGaps(ctx.deps, ctx.siteId) })),
  create: staff.meta(created).input(CreateMailing).output(Created).mutation(create),
  list: staff
    .input(ListMailings.prefault({}))
    .output(MailingPage)
    .query(({ ctx, input }) => listMailings(ofOwner(ctx), input)),
  get: staff
    .input(ById)
    .output(Mailing)
    .query(({ ctx, input }) => getMailing(ofOwner(ctx), input.id)),
  recipients: staff
    .input(ListRecipients)
    .output(MailingRecipientPage)
    .query(({ ctx, input }) => listRecipients(ofOwner(ctx), input)),
  received: staff
    .input(ListReceived)
    .output(ReceivedPage)
    .query(({ ctx, input }) => listReceived(ofOwner(ctx), input)),
  pause: steersOwn.output(Updated).mutation(pause),
  resume: steersOwn.output(Updated).mutation(resume),
  cancel: steersOwn.output(Updated).mutation(cancel),
  retry: steersOwn.output(RetriedMailing).mutation(retry),
});

const readTool = (name: string) => ({ name, resource: 'newsletter', access: 'read' }) as const;

const steers = (step: string, summary: string) =>
  command({ ...sends, path: `${path}/{id}/${step}`, summary })
    .meta({ bodyless: true, audited: true, ...refusesByState })
    .input(ById);

/** Procedures for calls with an API key. Their previews and test emails contain no drafts and no gated text. */
const v2 = router({
  feedback,
  preview: command({
    ...writes,
    path: `${path}/preview`,
    mcp: readTool('preview_mailing'),
    summary: 'Preview a post as an email',
  })
    .meta({ changesNothing: true, errors: ['busy', 'not_found'] })
    .input(PreviewOpenMailing)
    .output(MailingPreview)
    .mutation(({ ctx, input }) => previewMailing(ctx, { ...input, publicOnly: true })),
  test: command({
    ...writes,
    path: `${path}/test`,
    summary: 'Send a post as a test email to up to 5 addresses',
  })
    .meta({ audited: true, ...tested })
    .input(TestOpenMailing)
    .output(TestedMailing)
    .mutation(({ ctx, input }) => sendTest(ctx, { ...input, publicOnly: true })),
  create: post({
    ...sends,
    path,
    mcp: {
      name: 'create_mailing',
      resource: 'newsletter',
      access: 'send',
      advice: 'The emails go to real readers and cannot be recalled: ask the owner first.',
    },
    summary: 'Send a post to newsletter subscribers',
  })
    .meta({ audited: true, ...created })
    .input(CreateMailing)
    .output(Created)
    .mutation(create),
  list: get({ ...reads, path, mcp: readTool('list_mailings'), summary: 'List mailings, newest first' })
    .input(ListMailings.prefault({}))
    .output(MailingPage)
    .query(({ ctx, input }) => listMailings(ofProgram(ctx), input)),
  get: get({
    ...reads,
    path: `${path}/{id}`,
    mcp: readTool('get_mailing'),
    summary: 'Get a mailing with the number of recipients by state',
  })
    .input(ById)
    .output(Mailing)
    .query(({ ctx, input }) => getMailing(ofProgram(ctx), input.id)),
  recipients: get({ ...reads, path: `${path}/{id}/recipients`, summary: 'List the recipients of a mailing' })
    .input(ListRecipients)
    .output(MailingRecipientPage)
    .query(({ ctx, input }) => listRecipients(ofProgram(ctx), input)),
  pause: steers('pause', 'Pause a mailing').output(Updated).mutation(pause),
  resume: steers('resume', 'Resume a mailing').output(Updated).mutation(resume),
  cancel: steers('cancel', 'Cancel a mailing').output(Updated).mutation(cancel),
  retry: steers('retry', 'Retry refused and unconfirmed emails of a mailing')
    .output(RetriedMailing)
    .mutation(retry),
});

export const mailings = { v2: { mailings: v2 }, studio: { mailings: studio } };
