import { expect, test } from 'vitest';
import { newsletter } from '../contract/features/mailings.ts';
import { defaultTheme } from '../contract/features/theme.ts';
import { siteStrings } from '../i18n/site-strings.ts';
import { mailStyle } from '../mail/email-style.ts';
import { renderBody } from '../markdown/index.ts';
import { mailBodies, unsubscribeMark } from './bodies.ts';
import { toMailHtml } from './mail-html.ts';
import { toPlainText } from './plain-text.ts';

const site = {
  name: 'Ada',
  language: 'en',
  theme: defaultTheme,
  origin: 'https://ada.example.com',
  postalAddress: '1 Long Lane',
};
const strings = { subject: 'Why types pay', preheader: '' };
const context = {
  base: 'https://ada.example.com/posts/a',
  page: 'https://ada.example.com/posts/a?utm',
  words: siteStrings('en'),
  style: mailStyle(defaultTheme),
  dir: 'ltr',
  pictures: new Map(),
} as const;

const bare = { beginning: '', cover: null, pictures: [] };

const bodiesOf = (content: string, excerpt = 'What a contract saves you.') =>
  mailBodies(
    {
      title: 'Why <types> pay',
      slug: 'a',
      excerpt,
      ...bare,
      html: renderBody(content).html,
      beginning: renderBody(content).excerpt,
    },
    site,
    strings,
  );

const text = `Hello *you*, see [the page](/posts/b) and <https://x.example.com/>.

# First part

1. one
2. two
   - inner
   - deeper

> said
> so

\`\`\`js
const a = 1;

  return a;
\`\`\`

| Name | Age |
| --- | --: |
| Ada | 36 |

- [x] done
- [ ] open

![A boat](/media/1/boat.png "By the sea")

***

Write to [us](mailto:us@example.com).
`;

test('the plain text of a body is readable', () => {
  expect(
    toPlainText(renderBody(text).html, context.base),
  ).toBe(`Hello you, see the page <https://ada.example.com/posts/b> and https://x.example.com/.

First part
==========

1. one
2. two
   - inner
   - deeper

> said so

    const a = 1;

      return a;

Name | Age
Ada | 36

- [x] done
- [ ] open

[A boat]
By the sea

* * *

Write to us <us@example.com>.`);
});

test('an empty line within a quote of the plain text has the margin of the quote', () => {
  const html = renderBody('> a\n>\n> b\n> > c\n>\n> ```\n> d\n>\n> e\n> ```\n\nf').html;
  expect(toPlainText(html, context.base)).toBe('> a\n>\n> b\n>\n> > c\n>\n>     d\n>\n>     e\n\nf');
});

test('an email body has absolute URLs, and inline styles instead of classes', () => {
  const html = toMailHtml(renderBody(text).html, context);
  expect(html).toContain('href="https://ada.example.com/posts/b"');
  expect(html).toContain('src="https://ada.example.com/media/1/boat.png"');
  expect(html).toMatch(/<div style="[^"]+"><img [^>]*><p class="soft" style="[^"]+">By the sea<\/p><\/div>/);
  expect(html).toMatch(/<td [^>]*style="[^"]*text-align:right">36<\/td>/);
  expect(html).toContain('☑ ');
  expect(html).not.toMatch(/ (id|srcset|loading)=/);
});

test('links within a body lead to its page, and footnotes work in the email', () => {
  const html = renderBody(
    '[a](#part) [b](../up) [c](?d=1) e[^1]\n\n[^1]: f\n\n## Part\n\n<img src="g.png" alt="g">',
  ).html;
  const mail = toMailHtml(html, context);
  expect([...mail.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, address]) => address)).toEqual([
    'https://ada.example.com/posts/a#h-part',
    'https://ada.example.com/up',
    'https://ada.example.com/posts/a?d=1',
    'https://ada.example.com/posts/g.png',
  ]);
  expect(mail).toContain('[1]');
  expect(toPlainText(html, context.base)).toBe(
    'a <https://ada.example.com/posts/a#h-part> b <https://ada.example.com/up> c <https://ada.example.com/posts/a?d=1> e[1]\n\nPart\n====\n\n[g]\n\n* * *\n\n1. f',
  );
});

test('audio and video become links to the page that plays them', () => {
  const html = renderBody('before <video src="/media/1/a.mp4">none</video> after').html;
  expect(toMailHtml(html, context)).toMatch(
    /before <a href="https:\/\/ada.example.com\/posts\/a\?utm"[^>]*>Recording<\/a> after/,
  );
});

test('no content of a body becomes markup in its email', () => {
  const hostile = `<script>alert(1)</script><img src=x onerror=alert(1)>&lt;script&gt;alert(2)&lt;/script&gt;

[a](javascript:alert(3)) <a href="https://x.example.com/?a=&quot;&gt;<b>">b</a>`;
  const html = toMailHtml(renderBody(hostile).html, context);
  expect(html).not.toMatch(/<script|onerror|href="javascript/);
  expect(html).toContain('&lt;script&gt;alert(2)&lt;/script&gt;');
});

test("the email for readers without access contains excerpt and link, and nothing of the post's body", async () => {
  const { open, closed } = await bodiesOf('The secret is *here*.');
  expect(open.html).toContain('The secret is');
  expect(open.text).toContain('The secret is here.');
  for (const part of [closed.html, closed.text]) {
    expect(part).not.toContain('secret');
    expect(part).toContain('What a contract saves you.');
    expect(part).toContain('utm_campaign=a');
  }
});

test('without an excerpt, the preheader is the beginning of the post for readers with access', async () => {
  const { open, closed } = await bodiesOf(`# A heading\n\nThe secret ${'of the sea '.repeat(20)}.`, '');
  const beside = ({ html }: { html: string }) => /overflow:hidden">([^<]*)</.exec(html)?.[1];
  expect(beside(open)).toMatch(/^The secret of the sea .{100,130} …$/);
  expect(beside(closed)).toBe('');
  expect(closed.html).not.toContain('secret');
});

test("each part of an email ends with the unsubscribe URL and the sender's postal address", async () => {
  const { open, closed } = await bodiesOf(`See ${unsubscribeMark} for nothing.`);
  for (const part of [open.html, open.text, closed.html, closed.text]) {
    const rest = part.slice(part.lastIndexOf(unsubscribeMark) + unsubscribeMark.length);
    expect(rest).not.toContain('https:');
    expect(rest).toContain('1 Long Lane');
  }
});

test('a body that mail programs would cut off is mailed as excerpt and link', async () => {
  const { open, closed, tooLarge } = await bodiesOf('word '.repeat(newsletter.maxBodyBytes / 5));
  expect([open, tooLarge]).toEqual([closed, true]);
  expect((await bodiesOf('word '.repeat(10_000))).tooLarge).toBe(false);
});

test('an email declares the direction of its language', async () => {
  const post = { title: 'أهلا', slug: 'a', excerpt: '', html: '', ...bare };
  const { open } = await mailBodies(post, { ...site, language: 'ar' }, strings);
  expect(open.html).toContain('<html lang="ar" dir="rtl">');
  expect(open.html).toContain('<div lang="en" dir="ltr">');
});

test('a right-to-left post is mailed so, whatever the language of its site', async () => {
  const html = '<p>كل صباح يبدأ الميناء <a href="https://a.example/the-harbour">بصوت الحبال</a></p>';
  const post = { title: 'الميناء في الصباح', slug: 'a', excerpt: '', html, ...bare };
  const { open, closed } = await mailBodies(post, site, strings);
  for (const body of [open, closed]) expect(body.html).toContain('<html lang="en" dir="rtl">');
  expect(open.html).toContain('<div lang="en" dir="ltr">');
});

test.each(['de-AT', 'ja', 'pt'])(
  "the email's own strings are in the language %s of its site",
  async (language) => {
    const post = { title: 'A', slug: 'a', excerpt: '', html: '', ...bare };
    const mail = await mailBodies(post, { ...site, language }, strings);
    const { keepReading, readOnWeb, whyMailed, unsubscribe } = siteStrings(language);
    const ofHtml = [readOnWeb, whyMailed('Ada'), unsubscribe];
    for (const sentence of ofHtml) expect(mail.open.html).toContain(sentence);
    for (const sentence of [keepReading, ...ofHtml]) expect(mail.closed.html).toContain(sentence);
    for (const sentence of [keepReading, whyMailed('Ada'), unsubscribe])
      expect(mail.closed.text).toContain(sentence);
    expect(mail.closed.html).not.toMatch(/You receive this|Read/);
  },
);
