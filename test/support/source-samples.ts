import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { folderOf, temporaryFile } from './archives.ts';
import { ghost, ofGhost } from './ghost-sample.ts';
import { pictureElement } from './images.ts';
import { zipOf } from './zips.ts';

/** Export of another system according to its documentation, with one of each thing that its authors can create. */
export interface SourceSample {
  name: string;
  make: () => Promise<string>;
  /** Records that readers could see, by title: the access tier, and the publication time. */
  open: Readonly<Record<string, readonly [tier: string, published: string | null]>>;
  /** Titles of all other imported records. */
  closed: readonly string[];
  /** Texts that must occur in a record, a media file's name or a redirect. */
  there: readonly string[];
  /** Texts that must occur in the report. */
  told: readonly string[];
}

const samples = path.join(import.meta.dirname, '../samples');

const post = (matter: string, body = 'Text.') => `---\n${matter}\n---\n\n${body}\n`;

const html = (title: string, body: string, about: string) =>
  `<!DOCTYPE html><html><head><meta charset="utf-8"><title>${title}</title></head><body><article class="h-entry"><header><h1 class="p-name">${title}</h1></header><section data-field="subtitle" class="p-summary">Under ${title}</section><section data-field="body" class="e-content"><section name="a1" class="section section--body"><div class="section-inner"><h3 name="b2" class="graf graf--h3 graf--title">${title}</h3>${body}</div></section></section><footer>${about}<p>Exported from <a href="https://medium.com">Medium</a> on June 1, 2024.</p></footer></article></body></html>`;

const posted = (timestamp: string, canonical: string) =>
  `<p>By <a href="https://medium.com/@ada" class="p-author h-card">Ada</a> on <a href="https://medium.com/p/x"><time class="dt-published" datetime="${timestamp}">A day</time></a>.</p><p><a href="${canonical}" class="p-canonical">Canonical link</a></p>`;

export const sourceSamples: readonly SourceSample[] = [
  { name: 'Ghost 5', make: ghost('5.82.2'), ...ofGhost },
  { name: 'Ghost 6', make: ghost('6.0.0'), ...ofGhost },
  {
    name: 'WordPress 6',
    make: async () =>
      temporaryFile(await readFile(path.join(samples, 'wordpress-6.xml'), 'utf8'), 'wordpress.xml'),
    open: {
      'Rowing & after': ['free', '2024-03-09T10:00:00.000Z'],
      'About tides': ['', null],
    },
    closed: ['A draft', 'In private', 'Behind a word', 'To come', 'Waiting'],
    there: [
      ...['Keep the stroke short', 'Boats & oars', 'weather', 'Short strokes', 'href=\\"/about-tides\\"'],
      ...[
        'Rowing for search',
        'What rowers find',
        '"/2024/03/rowing"',
        '2099-06-01 08:00:00.000Z',
        'Half a thought',
      ],
    ],
    told: [
      ...[
        'oar.jpg',
        'Comments not imported: 1',
        'Shortcodes shown as plain text: playlist',
        'nav_menu_item',
        'wp_block',
      ],
      ...[
        'the original has a password',
        'the original was private',
        'the original was waiting for review',
        'Fields not imported: _yoast_wpseo_canonical',
      ],
    ],
  },
  {
    name: 'Substack',
    make: () =>
      temporaryFile(
        zipOf({
          'posts.csv':
            'post_id,post_date,is_published,email_sent_at,inbox_sent_at,type,audience,title,subtitle,podcast_url\n' +
            '101.open-letter,2024-02-03T09:00:00.000Z,true,2024-02-03T09:00:01.000Z,,newsletter,everyone,Open letter,"First, of many",\n' +
            '102.for-readers,2024-02-04T09:00:00.000Z,true,,,newsletter,only_free,For readers,,\n' +
            '103.for-payers,2024-02-05T09:00:00.000Z,true,,,newsletter,only_paid,"For ""payers""",,\n' +
            '104.a-draft,,false,,,newsletter,everyone,A draft,,\n' +
            '105.spoken,2024-02-06T09:00:00.000Z,true,,,podcast,everyone,Spoken,,https://api.substack.com/feed/podcast/1.mp3\n' +
            '106.odd,2024-02-06T09:00:00.000Z,true,,,newsletter,someone,Odd,,\n' +
            '107.lost,2024-02-06T09:00:00.000Z,true,,,newsletter,everyone,Lost,,\n',
          'posts/101.open-letter.html':
            '<p>Open body <a href="https://tides.substack.com/p/for-readers?utm_source=x">linked</a> <a href="https://tides.substack.com/p/gone">lost</a></p><img src="https://substackcdn.com/image/fetch/w_1456,c_limit/https%3A%2F%2Fsubstack-post-media.s3.amazonaws.com%2Fpublic%2Fimages%2Foar.png">',
          'posts/102.for-readers.html': '<p>Readers body</p>',
          'posts/103.for-payers.html':
            '<p>Payers body</p><div class="paywall-jump" data-component-name="PaywallToDOM"></div>',
          'posts/104.a-draft.html': '<p>Draft body</p>',
          'posts/105.spoken.html': '<p>Spoken body</p>',
          'posts/106.odd.html': '<p>Odd body</p>',
          'posts/108.nameless.html': '<p>Nameless body</p>',
          'posts/101.open-letter.delivers.csv': 'post_id,timestamp,email\n101,2024-02-03,a@example.com\n',
          'email_list.tides.csv':
            'email,active_subscription,expiry,plan,email_disabled,digest_enabled,created_at\n' +
            'paying@example.com,true,2099-01-01,yearly,false,false,2023-01-02T10:00:00.000Z\n' +
            'free@example.com,false,,other,false,false,2023-01-03T10:00:00.000Z\n' +
            'silent@example.com,false,,other,true,false,2023-01-04T10:00:00.000Z\n',
        }),
        'substack.zip',
      ),
    open: {
      'Open letter': ['free', '2024-02-03T09:00:00.000Z'],
      'For readers': ['registered', '2024-02-04T09:00:00.000Z'],
      'For "payers"': ['members', '2024-02-05T09:00:00.000Z'],
      Spoken: ['free', '2024-02-06T09:00:00.000Z'],
    },
    closed: ['A draft', 'Odd', '(untitled)'],
    there: [
      ...[
        'Open body',
        'href=\\"/posts/for-readers\\"',
        'First, of many',
        'Payers body',
        'Draft body',
        'Nameless body',
      ],
      ...[
        'paying@example.com',
        'free@example.com',
        'silent@example.com',
        '"/p/open-letter"',
        '2023-01-02 10:00:00.000Z',
      ],
    ],
    told: [
      ...[
        'Images still loaded from the old site: https://substackcdn.com/',
        'https://tides.substack.com/p/gone',
      ],
      ...[
        'the original was of the type podcast',
        '1.mp3',
        'unknown audience for it (someone)',
        'delivers.csv',
      ],
      ...['the export does not contain its text', 'posts.csv has no row for it', 'Plan not imported: yearly'],
    ],
  },
  {
    name: 'Medium',
    make: () =>
      temporaryFile(
        zipOf({
          'README.html': '<html></html>',
          'profile/profile.html': '<html></html>',
          'posts/2024-02-03_Open-letter-0123456789ab.html': html(
            'Open &amp; letter',
            '<p class="graf">Open body <a href="https://medium.com/p/ba9876543210">linked</a> <a href="https://medium.com/@ada/gone-aaaaaaaaaaaa">lost</a></p><figure><img src="https://cdn-images-1.medium.com/max/800/1*oar.png"></figure>',
            posted('2024-02-03T09:00:00.000Z', 'https://blog.example.com/open-letter-0123456789ab'),
          ),
          'posts/2024-02-04_Second-ba9876543210.html': html(
            'Second',
            '<p>Second body</p>',
            posted('2024-02-04T09:00:00.000Z', 'https://medium.com/@ada/second-ba9876543210'),
          ),
          'posts/draft_Thought-cccccccccccc.html': html('Thought', '<p>Draft body</p>', ''),
          'posts/2024-02-05_Undated-dddddddddddd.html': html('Undated', '<p>Undated body</p>', ''),
          'posts/2024-02-06_Broken-eeeeeeeeeeee.html': '<html></html>',
        }),
        'medium.zip',
      ),
    open: {},
    closed: ['Open & letter', 'Second', 'Thought', 'Undated'],
    there: [
      'Open body',
      'href=\\"/posts/second\\"',
      'Under Second',
      'Draft body',
      '2024-02-03 09:00:00.000Z',
      '"/open-letter-0123456789ab"',
    ],
    told: [
      ...[
        'Images still loaded from the old site: https://cdn-images-1.medium.com/max/800/1*oar.png',
        'README.html',
      ],
      ...[
        'https://medium.com/@ada/gone-aaaaaaaaaaaa',
        'does not have the structure of a Medium post',
        'profile.html',
      ],
      ...['Medium exports do not state who could read the original'],
    ],
  },
  {
    name: 'Jekyll',
    make: async () =>
      folderOf({
        '_config.yml':
          'title: Tides\npermalink: pretty\ndefaults:\n  - scope: {path: "", type: "posts"}\n    values: {layout: post}\n  - scope: {path: "club"}\n    values: {published: false}\nexclude: [notes]\n',
        '_posts/2024-01-05-open.md': post(
          'title: Open\ntags: rope sail\ncategories: [Boats]\nimage: /assets/cover.jpg\nauthor: Ada',
          '![Oar]({{ "/assets/oar.jpg" | relative_url }}) [next]({% post_url 2024-01-06-next %}) [gone](/gone.html) {% include video.html %}',
        ),
        '_posts/2024-01-06-next.markdown': post(
          'title: Next\ndate: 2024-01-06 10:00:00 +0100\ndescription: What comes',
        ),
        '_posts/2099-01-06-later.md': post('title: Later'),
        '_drafts/thought.md': post('title: Thought'),
        'club/inside.md': post('title: Inside'),
        'vendor/bundle/gem.md': post('title: Gem'),
        'boats/_posts/2024-01-07-third.md': post(
          'title: Third',
          '{% comment %}unseen{% endcomment %}Text[^1]\n\n[^1]: A note',
        ),
        'notes/private.md': post('title: Private'),
        'about.md': post('title: About'),
        'assets/oar.jpg': await pictureElement('jpeg', { width: 60 }),
        'assets/cover.jpg': await pictureElement('jpeg', { width: 90 }),
      }),
    open: {
      Open: ['free', '2024-01-05T10:00:00.000Z'],
      Next: ['free', '2024-01-06T09:00:00.000Z'],
      About: ['free', null],
      Third: ['free', '2024-01-07T10:00:00.000Z'],
    },
    closed: ['Later', 'Thought', 'Inside', 'Private', 'Gem'],
    there: [
      ...[
        '"rope"',
        '"sail"',
        '"Boats"',
        'oar.jpg',
        'cover.jpg',
        '{% post_url 2024-01-06-next %}',
        'What comes',
      ],
      ...['2099-01-06 12:00:00.000Z', '"/boats/2024/01/05/open"', '"/about"', '"tags":["boats"]'],
    ],
    told: [
      'the post has the date of its file, 20',
      'gone.html',
      'Shortcodes and template tags shown as plain text: relative_url, post_url, include',
      'Front matter fields not imported: author',
      '_config.yml',
    ],
  },
  {
    name: 'Hugo',
    make: async () =>
      folderOf({
        'hugo.toml':
          'baseURL = "https://tides.example/"\n[languages.en]\n[languages.de]\n[[cascade]]\nparams = {private = true}\n[cascade.target]\npath = "/club/**"\n',
        'archetypes/default.md': post('title: Model\ndraft: true'),
        'content/posts/open/index.md':
          '+++\ntitle = "Open"\ndate = 2024-01-05T10:00:00+01:00\ntags = ["rope", "sail"]\naliases = ["/2023/open"]\ndescription = "What is open"\nweight = 3\n[cover]\nimage = "cover.jpg"\nalt = "A loaf"\n+++\n![Oar](oar.jpg) [next]({{< ref "next.md" >}}) [gone](gone.md) {{< youtube abc >}}\n\n{{< figure src="bow.jpg" caption="The bow" >}}\n\n{{< notice >}}\n',
        'content/posts/open/oar.jpg': await pictureElement('jpeg', { width: 60 }),
        'content/posts/open/bow.jpg': await pictureElement('jpeg', { width: 70 }),
        'content/posts/open.de.md': post('title: Offen\ndraft: true'),
        'content/posts/open/cover.jpg': await pictureElement('jpeg', { width: 90 }),
        'content/posts/next.md': post('title: Next\ndate: 2024-01-06\nslug: the-next'),
        'content/posts/later.md': post('title: Later\npublishDate: 2099-01-06'),
        'content/posts/thought.md': post('title: Thought\ndraft: true'),
        'content/posts/over.md': post('title: Over\nexpiryDate: 2020-01-01'),
        'content/club/inside.md': post('title: Inside'),
        'content/posts/open/notes.md': post('title: Beside'),
      }),
    open: {
      Open: ['free', '2024-01-05T09:00:00.000Z'],
      Next: ['free', '2024-01-06T10:00:00.000Z'],
    },
    closed: ['Model', 'Later', 'Thought', 'Over', 'Inside', 'Beside', 'Offen'],
    there: [
      ...['{{< youtube abc >}}', '/bow.jpg', 'caption=\\"The bow\\"', '"/de/posts/open"'],
      ...['"rope"', '"sail"', 'oar.jpg', 'cover.jpg', 'A loaf', '{{< ref', 'What is open'],
      ...['"/2023/open"', '2099-01-06 12:00:00.000Z'],
    ],
    told: [
      'gone.md',
      'Shortcodes and template tags shown as plain text: ref, youtube, figure, notice',
      'Front matter fields not imported: weight',
      'hugo.toml',
    ],
  },
  {
    name: 'Astro',
    make: async () =>
      folderOf({
        'astro.config.mjs': 'export default {};',
        'src/content.config.ts':
          'defineCollection({ schema: z.object({ draft: z.boolean().default(false) }) });',
        'src/content/blog/open.mdx': post(
          'title: Open\ndraft: false\npubDate: Jan 05 2024\nheroImage: ../../assets/cover.jpg\nheroImageAlt: An oar\ntags: [rope]\ndescription: What is open',
          "import Chart from '../Chart.astro';\n\n<Chart />\n\n![Oar](../../assets/oar.jpg) [next](./next.md) [gone](./gone.md)",
        ),
        'src/content/blog/next.md': post('title: Next\ndraft: false\npubDate: 2024-01-06'),
        'src/content/blog/later.md': post('title: Later\ndraft: false\npubDate: 2099-01-06'),
        'src/content/blog/thought.md': post('title: Thought\ndraft: true'),
        'src/content/blog/silent.md': post('title: Silent\npubDate: 2024-01-07'),
        'src/content/blog/_hidden.md': post('title: Hidden'),
        'src/assets/oar.jpg': await pictureElement('jpeg', { width: 60 }),
        'src/assets/cover.jpg': await pictureElement('jpeg', { width: 90 }),
      }),
    open: {
      Open: ['free', '2024-01-05T10:00:00.000Z'],
      Next: ['free', '2024-01-06T10:00:00.000Z'],
    },
    closed: ['Later', 'Thought', 'Hidden', 'Silent'],
    there: [
      '"rope"',
      'oar.jpg',
      'cover.jpg',
      'An oar',
      '(/posts/next)',
      'What is open',
      '"/blog/open"',
      '2099-01-06 12:00:00.000Z',
    ],
    told: [
      'gone.md',
      'MDX components shown as plain text: import, Chart',
      'src/content.config.ts may hide it and was not run',
    ],
  },
  {
    name: 'Eleventy',
    make: async () =>
      folderOf({
        'eleventy.config.js': 'export default {};',
        '.eleventyignore': 'secret/\n',
        'posts/posts.json': '{"tags": ["essays"], "layout": "post.njk"}',
        'posts/open.md': post(
          'title: Open\ndraft: false\ndate: 2024-01-05\ntags: [rope]\nimage: /img/cover.jpg',
          '![Oar](/img/oar.jpg) [next](/posts/next/) [gone](/gone/) {% image "x" %}',
        ),
        'posts/next.md': post('title: Next\npublished: true\ndate: 2024-01-06'),
        'posts/later.md': post('title: Later\ndraft: false\ndate: 2099-01-06'),
        'posts/thought.md': post('title: Thought\ndraft: true'),
        'posts/silent.md': post('title: Silent\ndate: 2024-01-07'),
        'club/club.11tydata.json': '{"permalink": false}',
        'club/inside.md': post('title: Inside'),
        'work/work.11tydata.js': 'export default { eleventyComputed: { permalink: (data) => !data.draft } };',
        'work/inside.md': post('title: Maybe'),
        'secret/private.md': post('title: Private'),
        'hidden.md': post('title: In no list\ndraft: false\neleventyExcludeFromCollections: true'),
        'img/oar.jpg': await pictureElement('jpeg', { width: 60 }),
        'img/cover.jpg': await pictureElement('jpeg', { width: 90 }),
      }),
    open: {
      Open: ['free', '2024-01-05T10:00:00.000Z'],
      Next: ['free', '2024-01-06T10:00:00.000Z'],
    },
    closed: ['Later', 'Thought', 'Silent', 'Inside', 'Maybe', 'Private', 'In no list'],
    there: [
      '"essays"',
      '"rope"',
      'oar.jpg',
      'cover.jpg',
      '(/posts/next)',
      '"unlisted"',
      '2099-01-06 12:00:00.000Z',
    ],
    told: [
      '/gone/',
      'Shortcodes and template tags shown as plain text: image',
      'may hide it and was not run',
      'eleventy.config.js',
    ],
  },
  {
    name: 'Obsidian',
    make: async () =>
      temporaryFile(
        zipOf({
          'Vault/.obsidian/app.json': '{}',
          'Vault/Open.md': post(
            'publish: true\ndate: 2024-01-05\ntags: ["#rope"]\naliases: [Opened]',
            '![[oar.jpg]] [[Next|next]] [[Gone]]',
          ),
          'Vault/Next.md': post('publish: true\ndate: 2024-01-06'),
          'Vault/Diary.md': 'Nothing for others.\n',
          'Vault/Hidden.md': post('publish: false'),
          'Vault/Files/oar.jpg': await pictureElement('jpeg', { width: 60 }),
          'Vault/Board.canvas': '{}',
        }),
        'vault.zip',
      ),
    open: {
      Open: ['free', '2024-01-05T10:00:00.000Z'],
      Next: ['free', '2024-01-06T10:00:00.000Z'],
    },
    closed: ['Diary', 'Hidden'],
    there: ['"rope"', 'oar.jpg', '[next](/posts/next)', 'Nothing for others.'],
    told: [
      'Links to content that was not imported: Gone',
      'Board.canvas',
      'which Obsidian notes need to be public',
    ],
  },
];
