import type { z } from 'zod';
import { gate, readerOfTier } from '../../../shared/content/gate.ts';
import type {
  MailReader,
  MailWarning,
  TestedMailing,
} from '../../../shared/contract/features/mailing-preview.ts';
import type { AccessTier } from '../../../shared/contract/resources/access-tier.ts';
import { ownOriginOf } from '../../../shared/contract/site-paths.ts';
import { mailBodies, preheaderOf, withUnsubscribeAt } from '../../../shared/newsletter/bodies.ts';
import { findImages } from '../../../shared/newsletter/find-images.ts';
import { ApiError, found } from '../../api/api-error.ts';
import type { Context } from '../../api/context.ts';
import type { Deps } from '../../api/deps.ts';
import { count } from '../../api/limits/count.ts';
import { requireMail } from './create-mailing.ts';

const tiers: Record<MailReader, AccessTier> = {
  anonymous: 'free',
  registered: 'registered',
  paid: 'paid',
  members: 'members',
};

interface MailRequest {
  post_id: string;
  subject?: string | null | undefined;
  preheader?: string | null | undefined;
  as: MailReader;
  /**
   * True for calls with an API key: drafts and hidden posts then throw `not_found`. Gated posts are allowed. False in
   * the studio.
   */
  publicOnly: boolean;
}

/** Site whose emails are made. */
export interface MailingScope {
  deps: Deps;
  siteId: string;
}

/** Makes the email of a post as a reader would receive it. Throws `not_found`. */
async function makeMail({ deps, siteId }: MailingScope, { post_id, as, publicOnly, ...words }: MailRequest) {
  const posts = deps.database.em
    .getKysely()
    .selectFrom('posts')
    .select(['id', 'title', 'slug', 'excerpt', 'content', 'cover', 'access_tier', 'is_public'])
    .where('site_id', '=', siteId);
  const post = found(await posts.where('id', '=', post_id).executeTakeFirst());
  if (publicOnly && !post.is_public) throw new ApiError('not_found');
  const site = await getSite(deps, siteId);
  const { made, isPlain } = await deps.markdown(siteId).render(post.content);
  const { title, slug, excerpt } = post;
  const shown = await findImages(deps.database.em.getKysely(), siteId, post);
  const mailed = { title, slug, excerpt, beginning: made.excerpt, html: made.html, ...shown };
  const subject = words.subject || post.title;
  const said = words.preheader ?? '';
  const bodies = await mailBodies(mailed, site, { subject, preheader: said });
  const reader = readerOfTier(tiers[as], { collection: 'posts', id: post.id });
  const isOpen = gate('posts', post, reader) === null;
  const preheader = preheaderOf(mailed, said, isOpen && !bodies.tooLarge);
  const { html, text } = isOpen ? bodies.open : bodies.closed;
  const warnings: [MailWarning, boolean][] = [
    ['not_public', !post.is_public],
    // The preview shows no more than the reader in `as` may see. It has no warnings about a body that is closed to
    // this reader.
    ['body_too_large', isOpen && bodies.tooLarge],
    ['body_not_laid_out', isOpen && isPlain],
    ['no_excerpt', preheader === ''],
    ['no_postal_address', site.postalAddress === ''],
  ];
  return {
    site,
    mail: { subject, html, text },
    preheader,
    warnings: warnings.flatMap(([name, applies]) => (applies ? [name] : [])),
  };
}

/** Returns the email of a post without sending it; `bytes` is the size of its HTML. Throws `not_found`. */
export async function previewMailing(scope: MailingScope, request: MailRequest) {
  const { mail, preheader, warnings } = await makeMail(scope, request);
  return { ...mail, preheader, bytes: Buffer.byteLength(mail.html), warnings };
}

async function getSite({ database, config }: Deps, siteId: string) {
  const sites = database.em
    .getKysely()
    .selectFrom('sites')
    .select(['name', 'language', 'theme', 'custom_domain', 'subdomain', 'newsletter']);
  const row = found(await sites.where('id', '=', siteId).executeTakeFirst());
  const { custom_domain, subdomain, newsletter, ...site } = row;
  const origin = ownOriginOf({ custom_domain, subdomain }, config) ?? config.publicUrl.origin;
  return { ...site, ...newsletter, origin, postalAddress: newsletter.postal_address };
}

/**
 * Sends a post to a few addresses as a reader would receive it, except that its unsubscribe link has no effect.
 * Returns the mail server's response for each address. A call that fails before sending is not counted in the limit.
 * Throws `mail_not_configured`, `not_found` or `rate_limited`.
 */
export async function sendTest(
  { deps, siteId, decisions }: Pick<Context, 'deps' | 'decisions'> & { siteId: string },
  { to, ...request }: MailRequest & { to: readonly string[] },
): Promise<z.infer<typeof TestedMailing>> {
  requireMail(deps);
  const { site, mail } = await makeMail({ deps, siteId }, request);
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
