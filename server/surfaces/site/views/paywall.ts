import { html } from 'hono/html';
import type { GateReason } from '../../../../shared/contract/access-tier.ts';
import type { Visit } from '../page.ts';
import { lockIcon, type View, when } from './parts.ts';
import { signInPath } from './sign-in.ts';

interface PaywallText {
  title: string;
  text: string;
  /** What to do, for somebody who is not signed in; none where nothing opens it. */
  signIn?: string;
}

/** What a visitor who may not read a body is told, by the reason. */
const paywallTexts: Record<GateReason, { stranger: PaywallText; member: PaywallText }> = {
  registered_login_required: {
    stranger: {
      title: 'Free, for readers who sign in',
      text: 'No password: we send a code to your e-mail address, and the rest of this post opens.',
      signIn: 'Sign in to read',
    },
    member: { title: 'Sign in again', text: 'Your session has ended.', signIn: 'Sign in' },
  },
  purchase_required: {
    stranger: {
      title: 'For those who bought it',
      text: 'Did you buy this post? Sign in with the e-mail address that you used, and it opens.',
      signIn: 'Sign in to read',
    },
    member: {
      title: 'For those who bought it',
      text: 'This post is sold separately, and is not among your purchases.',
    },
  },
  subscription_required: {
    stranger: {
      title: 'For members',
      text: 'This post is part of the membership. Sign in, and it opens.',
      signIn: 'Sign in to read',
    },
    member: { title: 'For members', text: 'Your account does not include the membership.' },
  },
  unknown_access_tier: {
    stranger: { title: 'This post is closed', text: 'It was written for a group that no longer exists.' },
    member: { title: 'This post is closed', text: 'It was written for a group that no longer exists.' },
  },
};

/** Stands where a body is withheld: the way in for whoever has one. */
export function paywall({ reader, params }: Visit, reason: GateReason): View {
  const { title, text, signIn } = paywallTexts[reason][reader.signedIn ? 'member' : 'stranger'];
  return html`<section class="door" aria-labelledby="door-title">${lockIcon}
<h2 id="door-title">${title}</h2>
<p>${text}</p>
${when(signIn, () => html`<p class="links"><a class="button" href="${signInPath(`/posts/${params.slug}`)}">${signIn}</a></p>`)}
</section>`;
}
