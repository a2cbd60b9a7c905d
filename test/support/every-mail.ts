import PostalMime from 'postal-mime';
import { createMailTransport } from '../../shared/mail/mailer.ts';
import { notifyOfMailing, notifyOfPayments, notifyOwner } from '../../worker/jobs/owner-notices.ts';
import {
  mailConfirmation,
  mailEmailChange,
  mailEmailChanged,
  mailInvitation,
  mailPasswordReset,
} from '../../worker/jobs/transactional-emails.ts';
import { createSubscription } from '../bench/site.ts';
import { startDemoSite } from './demo-site.ts';
import { captureLog } from './log.ts';
import { startMailServer } from './mail-server.ts';
import { ownerClient, visitorClient } from './rpc.ts';

/** Markdown with every kind of content that a post can contain. */
const everyContent = `An opening with *words*, \`code\`, <kbd>Ctrl</kbd>, H<sub>2</sub>O, <mark>a mark</mark> and a note.[^1]

## A part

\`\`\`ts
// Long lines have to break somewhere, or a phone has to be turned.
const Post = z.strictObject({ title: z.string().min(1), tags: z.array(z.string()), views: 12 });
\`\`\`

> What is quoted
>
> - with a list
> - of two

| Name | What it does | Since | Left |
| --- | --- | --: | :-: |
| Ada | writes engines and the notes beside them | 1843 | 7 |
| Grace | finds the moth | 1947 | 12 |

1. one
2. two
   - inner
   - deeper

- [x] done
- [ ] open

### Pictures and films

PICTURE

<figure><img src="https://elsewhere.example/boat.png" alt="A boat elsewhere"><figcaption>What stands below it</figcaption></figure>

<video src="/media/mb3k9x2a7f0q1zd/film.mp4" controls>none</video>

<details><summary>More</summary>What is folded up elsewhere.</details>

<dl><dt>Term</dt><dd>What it is</dd></dl>

***

https://videos.example/watch?v=a-film

#### The end

[^1]: The note, with a [link](/about).
`;

const german = {
  title: 'Warum Verträge sich auszahlen: Rechtsschutzversicherungsgesellschaften und andere lange Wörter',
  excerpt: 'Ein Vertrag spart mehr, als er kostet.',
  content: 'Der erste Absatz, mit „Anführungszeichen“ und Größe.\n\n## Was bleibt\n\nMehr, als man denkt.',
};

const japanese = {
  title: '型は割に合うのか',
  excerpt: '契約は費用よりも多くのものを節約してくれます。',
  content:
    '最初の段落です。**太字**と`コード`があります。\n\n## 残るもの\n\n思ったより多くのものが残ります。',
};

/**
 * Creates every email that the service writes, as a mail server received it: newsletters with all kinds of content and
 * readers, and one of each other kind.
 */
export async function startEveryMail() {
  const mail = await startMailServer();
  const app = await startDemoSite(mail.url);
  const { siteId, deps } = app;
  const { database, secrets } = deps;
  const owner = await app.seed.owner(siteId);
  const { token } = (await app.post('/api/admin/session', { body: owner })).body as { token: string };
  const { studio } = ownerClient(app.baseUrl, token);
  const publicUrl = new URL('https://creators.example');
  const worker = {
    database,
    publicUrl,
    secrets,
    randomBytes: deps.randomBytes,
    mail: createMailTransport({ url: mail.url }, 'no-reply@creators.example', captureLog().logger),
  };
  const run = <Row>(text: string, values: unknown[] = []) => database.em.fork().execute<Row[]>(text, values);
  await studio.site.update.mutate({
    newsletter: {
      from_name: 'Ada Marsh',
      reply_to: 'ada@creators.example',
      postal_address: '1 Long Lane\nLondon',
    },
  });
  const [image] = (await studio.media.list.query({})).items;
  const posts = (await studio.posts.list.query({})).items;
  const cover = image?.id ?? '';
  const write = async (post: object) =>
    (await studio.posts.create.mutate({ title: 'Why types pay', ...post })).id;
  const whole = everyContent.replace('PICTURE', `![Blocks on a table](${image?.url})`);

  const mailed = async (send: () => Promise<unknown>) => {
    const before = mail.mails.length;
    await send();
    const [raw] = mail.mails.slice(before).map((one) => one.raw);
    if (!raw) throw new Error('no email was sent');
    return raw;
  };
  const newsletter = (post_id: string, as: 'anonymous' | 'members' = 'anonymous') =>
    mailed(() => studio.mailings.test.mutate({ post_id, as, to: ['grace@example.com'] }));
  const inLanguage = async (language: string, post: object) => {
    await studio.site.update.mutate({ language });
    const raw = await newsletter(await write(post));
    await studio.site.update.mutate({ language: 'en' });
    return raw;
  };
  const looks = ['studio', 'classroom', 'plain'] as const;
  const inLook = async (look: (typeof looks)[number], theme = {}) => {
    await studio.site.update.mutate({ theme: { look, ...theme } });
    const raw = await newsletter(await write({ content: whole, excerpt: 'Another look.' }));
    await studio.site.update.mutate({
      theme: { look: 'journal', accent: '#b3412b', font: 'editorial', scheme: 'auto' },
    });
    return raw;
  };
  const gated = posts.find(({ access_tier }) => access_tier === 'members')?.id ?? '';
  const mailing = async () => {
    const { id } = await studio.mailings.create.mutate({ post_id: posts.find((p) => !p.is_draft)?.id ?? '' });
    await run(`update mailings set status = 'paused', pause_reason = 'too_many_refused' where id = ?`, [id]);
    return { site_id: siteId, mailing_id: id, reason: 'too_many_refused' } as const;
  };
  const soon = new Date(Date.now() + 3_600_000).toISOString();

  const mails: Record<string, string> = {
    'a newsletter with all there is': await newsletter(
      await write({ content: whole, cover, excerpt: 'All there is.' }),
    ),
    'a newsletter with a cover': await newsletter(
      posts.find((post) => post.slug === 'type-safe-apis')?.id ?? '',
    ),
    'a newsletter for members, to one': await newsletter(gated, 'members'),
    'a newsletter for members, to a stranger': await newsletter(gated),
    'a newsletter in German': await inLanguage('de', german),
    'a newsletter in Japanese': await inLanguage('ja', japanese),
    'a newsletter in Arabic': await inLanguage('ar', {
      title: 'أهلا وسهلا',
      excerpt: 'مرحبا',
      content: '> مرحبا\n\n- واحد\n- اثنان\n\n`code`',
    }),
    'a newsletter in the look studio': await inLook('studio', { accent: '#3346d3', font: 'modern' }),
    'a newsletter in the look classroom, always dark': await inLook('classroom', {
      accent: '#0b7a55',
      font: 'bold',
      scheme: 'dark',
    }),
    'a newsletter in the look plain, always light': await inLook('plain', {
      accent: '#ffff00',
      font: 'system',
      scheme: 'light',
    }),
    'a code': await mailed(() =>
      visitorClient(app.baseUrl).site.members.requestCode.mutate({ email: 'grace@example.com' }),
    ),
    'a link to a new password': await mailed(() =>
      mailPasswordReset(worker, { email: owner.email, expires_at: soon }),
    ),
    'a notice of a newsletter that is held up': await mailed(async () =>
      notifyOfMailing(worker, await mailing()),
    ),
    'a notice of a webhook that fails': await mailed(async () => {
      const subscription_id = await createSubscription(deps, siteId, 'https://hooks.example.com/');
      await notifyOwner(worker, { site_id: siteId, subscription_id, news: 'failing' });
    }),
    'a notice of a key that Stripe refuses': await mailed(async () => {
      await run(
        `insert into payment_connections (site_id, id, account_name, livemode, key_sealed, automatic_tax, promotion_codes,
           public_url, lease_fence, state, reason, created, updated)
         values (?, 'connection', '', true, '', false, false, '', 0, 'broken', 'key_refused', now(), now())`,
        [siteId],
      );
      await notifyOfPayments(worker, { site_id: siteId });
      await run('delete from payment_connections where site_id = ?', [siteId]);
    }),
    'an address that was changed': await mailed(() =>
      mailEmailChanged(worker, { site_id: siteId, to: owner.email, email: 'new@example.com' }),
    ),
    'an invitation': await mailed(async () => {
      const { id } = await studio.people.invite.mutate({ email: 'grace@example.com', role: 'editor' });
      const [row] = await run<{ expires_at: Date }>('select expires_at from invitations where id = ?', [id]);
      const expires_at = new Date(row?.expires_at ?? 0).toISOString();
      await mailInvitation(worker, { site_id: siteId, invitation_id: id, expires_at, by: 'Ada Marsh' });
    }),
    'a question whether an address is right': await mailed(async () => {
      const [person] = await run<{ id: string; updated: Date }>(
        'select id, updated from people where email = ?',
        [owner.email],
      );
      const updated = new Date(person?.updated ?? 0).toISOString();
      await mailEmailChange(worker, {
        site_id: siteId,
        person_id: person?.id ?? '',
        email: 'new@example.com',
        updated,
        expires_at: soon,
      });
    }),
    'a confirmation': await mailed(async () => {
      const { id } = await studio.subscribers.create.mutate({ email: 'new@example.com' });
      const [row] = await run<{ at: Date }>('select confirm_sent_at as at from subscribers where id = ?', [
        id,
      ]);
      await mailConfirmation(worker, {
        site_id: siteId,
        subscriber_id: id,
        asked_at: new Date(row?.at ?? 0).toISOString(),
      });
    }),
  };
  const parsed = await Promise.all(
    Object.entries(mails).map(async ([name, raw]) => ({ name, raw, ...(await PostalMime.parse(raw)) })),
  );
  return {
    app,
    mails: parsed,
    async [Symbol.asyncDispose]() {
      await mail.close();
      await app[Symbol.asyncDispose]();
    },
  };
}
