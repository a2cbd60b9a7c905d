import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderBody } from '../../shared/markdown/index.ts';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const pasted: [html: string, ...lines: string[]][] = [
  ['<p>A <b>bold</b> word</p><p>and <i>more</i></p>', 'A **bold** word', '', 'and _more_'],
  ['<h2>Knots</h2><ul><li>Bowline</li><li>Hitch</li></ul>', '## Knots', '', '- Bowline', '- Hitch'],
  ['<ol><li>One</li><li>Two<ul><li>Half</li></ul></li></ol>', '1. One', '2. Two', '   - Half'],
  [
    '<p>See <a href="https://knots.example/">all</a>, not <a href="javascript:x()">this</a></p>',
    'See [all](https://knots.example/), not this',
  ],
  [
    '<b style="font-weight:normal"><p>Of <span style="font-weight:700">Docs</span><img src="data:image/png,x"></p></b>',
    'Of **Docs**',
  ],
  [
    '<table><tr><th>Knot</th><th>Use</th></tr><tr><td>Hitch</td><td>Posts</td></tr></table>',
    '| Knot | Use |',
    '| --- | --- |',
    '| Hitch | Posts |',
  ],
  [
    '<figure><picture><img src="https://a.example/b.jpg" alt="A" title="t"></picture><figcaption>By <span>me</span></figcaption></figure>',
    '![A](https://a.example/b.jpg)',
    '',
    'By me',
  ],
  [
    '<figure><img src="https://a.example/b.jpg" alt="A" title="t"><figcaption> By\n"me"</figcaption></figure>',
    '![A](https://a.example/b.jpg "By \\"me\\"")',
  ],
  ['<div style="color:#a00">const <span style="color:#00a">a_b</span> = 1;</div>', 'as it reads'],
];

test('formatted text is pasted as Markdown, without accompanying files, and as one undo step', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'A boat', is_draft: true });
  await signIn(app, page, `/posts/${id}`);
  const text = page.getByRole('textbox', { name: 'Content' });
  const paste = (html: string) =>
    text.evaluate((element, html) => {
      const data = new DataTransfer();
      data.setData('text/html', html);
      data.setData('text/plain', 'as it reads');
      // Office programs add an image of the text.
      data.items.add(new File(['x'], 'image.png', { type: 'image/png' }));
      element.dispatchEvent(
        new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }),
      );
    }, html);
  const becomes = async (content: string) => {
    // Save without waiting for the autosave.
    await page.keyboard.press('Control+s');
    await expect.poll(async () => (await posts.get.query({ id })).content).toBe(content);
  };
  await text.focus();
  await page.keyboard.type('Before:');
  for (const [html, ...lines] of pasted) {
    await paste(html);
    await page.keyboard.type(' after');
    await becomes(`Before:${lines.join('\n')} after`);
    await page.keyboard.press('Control+z');
    await becomes(`Before:${lines.join('\n')}`);
    await page.keyboard.press('Control+z');
    await becomes('Before:');
  }
  await page.keyboard.type('`code`');
  await page.keyboard.press('ArrowLeft');
  await paste('<p><b>bold</b></p>');
  await becomes('Before:`codeas it reads`');
  expect(faults).toEqual([]);
});

/** Parts of a text in HTML with their Markdown; parts without any stay HTML. */
const pieces: [html: string, ...lines: string[]][] = [
  ['<p>A</p>\n<p style="color:red">B</p>', 'A', '', 'B'],
  ['<h1>C # and #</h1>', '# C \\# and \\#'],
  [
    '<p>1. a * b_c [d](e) &lt;b&gt; &amp;amp; --f (c)</p>',
    '1\\. a \\* b\\_c \\[d\\](e) \\<b> \\&amp; \\--f \\(c)',
  ],
  [
    '<p># a</p><p>- b<br>&gt; c<br>2) d</p><p>a|b<br>-|-</p>',
    '\\# a',
    '',
    '\\- b  ',
    '\\> c  ',
    '2\\) d',
    '',
    'a\\|b  ',
    '\\-\\|-',
  ],
  [
    '<p>Yes! <a href="/a" title="t">b</a> <a href="https://d.example" rel="x">e</a></p>',
    'Yes! [b](/a "t") [e](https://d.example)',
  ],
  ['<p>../a,, b!!!! c+-d...</p>', '\\../a\\,, b\\!!!! c\\+-d...'],
  ['<p>a!<a href="/b">b</a></p>'],
  ['<p>a^<a href="/b">b</a></p>'],
  ['<p><img src="/a.jpg" alt="A b"></p>', '![A b](/a.jpg)'],
  [
    '<figure class="wide">\n<img src="/a.jpg" alt="A b">\n<figcaption>C, d: style=e</figcaption></figure>',
    '![A b](/a.jpg "C, d: style=e")',
  ],
  // An image's title is a tooltip; a caption is visible.
  ['<p><img src="/a.jpg" title="c"></p>'],
  ['<figure><img src="/a.jpg"><figcaption>a "b" c</figcaption></figure>'],
  ['<figure><img src="/a.jpg"><figcaption>a <em>b</em></figcaption></figure>'],
  ['<blockquote><figure><img src="/a.jpg"><figcaption>c</figcaption></figure></blockquote>'],
  ['<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>', '- a', '  - b', '- c'],
  // Two adjacent lists would become one.
  ['<ul><li>d</li></ul>'],
  [
    '<ol start="3"><li>a<pre><code class="language-js">b\n  c</code></pre></li></ol>',
    '3. a',
    '   ',
    '   ```js',
    '   b',
    '     c',
    '   ```',
  ],
  [
    '<p><strong>Note:</strong> <em><b>y</b></em>, <del>z</del> <code>a`b *c*</code></p>',
    '**Note:** _**y**_, ~~z~~ ``a`b *c*``',
  ],
  ['<blockquote><p>a</p><blockquote>b</blockquote></blockquote><hr>', '> a', '> ', '> > b', '', '---'],
  [
    '<pre><code>&lt;p style="x"&gt; a &lt;b\n\n*b*</code></pre>',
    '```',
    '<p style="x"> a <b',
    '',
    '*b*',
    '```',
  ],
  ['<pre>a\n\n*b*</pre>'],
  ['<div>\n\n<pre>\n\n  c\n\n</pre>\n\n</div>'],
  ['<pre><code>```\n*c*\n```</code></pre>'],
  ['<p><strong>Note:</strong>text</p>'],
  ['<p>in<em>tra</em>word</p>'],
  ['<p><b>a</b><i>b</i></p>'],
  ['<p><code>a</code><code>b</code></p>'],
  ['<p><strong>a<br>b</strong></p>'],
  ['<p>a<br><br>b<br></p>'],
  ['<h3>e<br>f</h3>'],
  ['<ul><li></li></ul>'],
  ['<ul><li>a<ul><li>b</li></ul>c</li></ul>'],
  ['<ul><li>a<ol start="3"><li>b</li></ol></li></ul>'],
  ['<ul><li>a<hr></li></ul>'],
  ['<ol><li value="4">d</li></ol>'],
  ['<ol reversed=""><li>c</li></ol>'],
  ['<p>H<sub>2</sub>O <u>u</u> <mark>m</mark> <kbd>k</kbd> <abbr title="t">*b*</abbr></p>'],
  ['<p title="q">w</p>'],
  ['<p><img src="/a.jpg" width="2"></p>'],
  ['<p><a href="/x y">s</a></p>'],
  ['<p><a href="/x" rel="nofollow">s</a></p>'],
  ['<p>https://a.example/_b_</p>'],
  ['<div><p>*x*</p></div>'],
  [
    '<figure><picture><source srcset="/b.webp"><img src="/a.jpg" width="3"></picture><figcaption>*c*</figcaption></figure>',
  ],
  [
    '<figure><video src="https://a.example/v.mp4"></video><audio src="https://a.example/v.mp3"></audio></figure>',
  ],
  [
    '<table><caption>T</caption><tbody><tr><th style="text-align:center">a</th><td>C:\\\\d | e</td></tr></tbody></table>',
  ],
  ['<table><tbody><tr><td><img src="/a.jpg"></td></tr></tbody></table>'],
  ['<dl><dt>x</dt><dd>*y*</dd></dl>'],
  ['<details open=""><summary>s</summary>*t*</details>'],
  ['<p>Z</p>', 'Z'],
];

test('a text imported as HTML is converted to Markdown by one button, looks the same to visitors, and is one undo step', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const content = pieces.map(([html]) => html).join('\n\n');
  const markdown = pieces.map(([html, ...lines]) => lines.join('\n') || html).join('\n\n');
  const { id } = await posts.create.mutate({ title: 'A boat', content, is_draft: true });
  await signIn(app, page, `/posts/${id}`);
  const button = page.getByRole('button', { name: 'Convert to Markdown' });
  const stored = async () => (await posts.get.query({ id })).content;
  await button.click();
  await button.waitFor({ state: 'detached' });
  await page.keyboard.press('Control+s');
  await expect.poll(stored).toBe(markdown);
  expect(shown(markdown)).toBe(shown(content));
  await page.keyboard.press('Control+z');
  await expect.poll(stored).toBe(content);
  await button.waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(faults).toEqual([]);
});

/**
 * Removes differences that readers cannot see: Markdown has one mark per kind of emphasis, no paragraphs in items and
 * quotes, no colors, and one character for three dots.
 */
const shown = (content: string) =>
  renderBody(content)
    .html.replace(/(?<=<\/?)b(?=>)/g, 'strong')
    .replace(/(?<=<\/?)del(?=>)/g, 's')
    .replace(/<\/?span[^>]*>| class="language-js"/g, '')
    .replace(/<\/?p>/g, ' ')
    .replaceAll('…', '...')
    .replace(/\s+/g, ' ')
    .replace(/ ?(<[^>]*>) ?/g, '$1');

const figure = '<figure><img src="/a.jpg" alt="A"></figure>';

test('HTML that Markdown cannot express, and Markdown that contains HTML, are not offered for conversion', async () => {
  await using app = await startApp();
  const { page } = await browser.open();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  await signIn(app, page, '/');
  const { href } = new URL('.', page.url());
  for (const content of [
    figure,
    `${figure}\n\nSome *words*.\n\n<p>A</p>`,
    '<img src="/a.jpg">\n\n- a\n- b\n\n<p>A</p>',
    '<div>\n\n*words*\n\n</div>\n\n<p>A</p>',
    '<p>A</p>\n\n```\na <b\n```\n\n<p>B</p>',
    '<p>A</p>\n\n    <p>B</p>',
    '<p>A</p><pre>a\n\n*b*</pre>',
    '<p>A</p><video src="https://a.example/v.mp4"></video>',
    '<p>A</p><div>a&#10;&#10;*b*</div>',
    '<p>A</p>\n<!-- a remark -->\n<p>B</p>',
  ]) {
    const { id } = await posts.create.mutate({ title: 'A boat', content, is_draft: true });
    await page.goto(`${href}posts/${id}`);
    await page.locator('.cm-content').waitFor();
    expect(await page.getByRole('button', { name: 'Convert to Markdown' }).count(), content).toBe(0);
  }
});
