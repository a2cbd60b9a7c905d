import { MailingPreview, PreviewMailing, PreviewOpenMailing } from '../../../shared/contract/mailings.ts';
import { ownerProcedure } from '../../access/procedures.ts';
import { command } from '../../access/route.ts';
import { router } from '../../kernel/trpc.ts';
import { feedback } from './feedback.ts';
import { previewMailing } from './preview.ts';

const tag = 'mailings';

/** What an owner mails to the readers of the site. */
const studio = router({
  preview: ownerProcedure
    .meta({ changesNothing: true, errors: ['busy', 'not_found'] })
    .input(PreviewMailing)
    .output(MailingPreview)
    .mutation(({ ctx, input }) => previewMailing(ctx, { ...input, publicOnly: false })),
});

/** The same of programs, which see no draft and nothing that is withheld from strangers. */
const v2 = router({
  feedback,
  preview: command({
    path: '/v2/mailings/preview',
    scope: 'write:newsletter',
    tag,
    mcp: { name: 'preview_mailing', resource: 'newsletter', access: 'read' },
    summary: 'Preview a post as mail',
  })
    .meta({ changesNothing: true, errors: ['busy', 'not_found'] })
    .input(PreviewOpenMailing)
    .output(MailingPreview)
    .mutation(({ ctx, input }) => previewMailing(ctx, { ...input, publicOnly: true })),
});

export const mailings = { v2: { mailings: v2 }, studio: { mailings: studio } };
