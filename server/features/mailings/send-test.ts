import type { z } from 'zod';
import type { TestedMailing } from '../../../shared/contract/features/mailing-preview.ts';
import { withUnsubscribeAt } from '../../../shared/newsletter/bodies.ts';
import type { Context } from '../../kernel/context.ts';
import { count } from '../../limits/count.ts';
import { requireMail } from './create.ts';
import { type AskedMail, makeMail } from './preview.ts';

/**
 * Mails a post to a few addresses as a reader would get it, but that nobody unsubscribes by it, and says what the mail server said of
 * each. What is refused is not counted. Throws `mail_not_configured`, `not_found`, `rate_limited`.
 */
export async function sendTest(
  { deps, siteId, decisions }: Pick<Context, 'deps' | 'decisions'> & { siteId: string },
  { to, ...asked }: AskedMail & { to: readonly string[] },
): Promise<z.infer<typeof TestedMailing>> {
  requireMail(deps);
  const { site, mail } = await makeMail({ deps, siteId }, asked);
  await count(deps.limiter, decisions, { tier: 'mailing_tests', subject: siteId });
  const html = withUnsubscribeAt(mail.html, site.origin);
  const text = withUnsubscribeAt(mail.text, site.origin);
  const sender = { fromName: site.from_name || site.name, replyTo: site.reply_to };
  const message = { kind: 'newsletter', siteId, ...mail, html, text, ...sender } as const;
  const results = [...new Set(to)].map(async (address) => ({
    to: address,
    ...(await deps.mailer.hand({ ...message, to: address })),
  }));
  return { results: await Promise.all(results) };
}
