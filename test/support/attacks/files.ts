import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { expensiveImages } from '../expensive-images.ts';
import { formOf } from '../images.ts';
import { zipOf } from '../zips.ts';
import type { Attack } from './attacker.ts';
import { repeatText } from './attacker.ts';

const svg = (size: number) =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${repeatText('<g><use href="#a"/>', size)}</svg>`);

/** Size of each generated image, in bytes. */
const imageBytes = 4_000_000;

const ofOneType = (wanted: string) => expensiveImages.filter(([type]) => type === `image/${wanted}`);

/** Attacks by images that are expensive to examine. */
export const images: Attack[] = [
  ...['avif', 'png', 'jpeg', 'webp', 'gif'].map(
    (type): Attack => ({
      name: `uploads of expensive ${type.toUpperCase()}`,
      atOnce: 3,
      async send(site, at) {
        for (const [, , make] of ofOneType(type)) {
          const { body, headers } = formOf(Buffer.concat([make(imageBytes), Buffer.from([at])]));
          await site.ask('/api/v2/media', { body, headers });
        }
      },
    }),
  ),
  {
    name: 'uploads of SVG and MP4',
    atOnce: 3,
    async send(site, at) {
      const movies = expensiveImages.filter(([type]) => type === 'video/mp4');
      for (const file of [svg(imageBytes), ...movies.map(([, , make]) => make(imageBytes))]) {
        const { body, headers } = formOf(Buffer.concat([file, Buffer.from([at])]));
        await site.ask('/api/v2/media', { body, headers });
      }
    },
  },
];

async function folderOf(files: Iterable<readonly [name: string, text: string]>): Promise<Buffer> {
  const tar = pack();
  for (const [name, text] of files) tar.entry({ name }, text);
  tar.finalize();
  return buffer(tar);
}

const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

const item = (at: number, fields: string) =>
  `<item><title>Post ${at}</title><wp:post_id>${at}</wp:post_id><wp:post_type>post</wp:post_type><wp:status>publish</wp:status>${fields}</item>`;

const cdata = (text: string) => `<![CDATA[${text}]]>`;

const rss = (items: readonly string[]) =>
  Buffer.from(`<rss><channel><link>http://old.example</link>${items.join('')}</channel></rss>`);

const ghost = (posts: readonly object[]) => Buffer.from(JSON.stringify({ db: [{ data: { posts } }] }));

/** Broken references, as many as fit into a body. */
const references = repeatText('[a](b.png) <img src="c.png"> [[d]] ', 490_000);

const lines = (count: number, line: (at: number) => string) => many(count, line).join('\n');

/** Archive of a publication on Substack, with its lists of readers and posts. */
const substack = (readers: string, posts = '1,true,everyone') =>
  zipOf({
    'posts.csv': `post_id,is_published,audience\n${posts}`,
    'posts/1.a.html': '<p>a</p>',
    'email_list.a.csv': readers,
  });

/** Import files from other systems, or made by an attacker who knows the importers. */
const files: readonly (readonly [name: string, make: () => Buffer | Promise<Buffer>])[] = [
  [
    'Ghost, many rows',
    () => ghost(many(10_000, (id) => ({ id, title: `Post ${id}`, html: '<p>a</p>', status: 'published' }))),
  ],
  [
    'Ghost, long rows',
    () =>
      ghost(
        many(4, (id) => ({ id, title: repeatText('a ', 7_000_000), html: references, status: 'published' })),
      ),
  ],
  ['Ghost, brackets', () => Buffer.from(`{"db":[{"data":{"posts":[${repeatText('[', 7_000_000)}`)],
  [
    'Ghost, brackets in a row',
    () =>
      Buffer.from(`{"db":[{"data":{"posts":[{"id":${'['.repeat(3_000_000)}${']'.repeat(3_000_000)}}]}}]}`),
  ],
  [
    'Ghost, long slugs',
    () => ghost(many(200, (id) => ({ id, title: repeatText('-a', 30_000), slug: repeatText('-A', 30_000) }))),
  ],
  ['WordPress, comments of XML', () => rss(many(3, (at) => item(at, repeatText('<!---->', 7 * 1_000_000))))],
  [
    'WordPress, comments of readers',
    () =>
      rss(
        many(3, (at) =>
          item(at, repeatText(`<wp:comment><a>${at}</a></wp:comment>`, 8_000_000 - (8_000_000 % 37))),
        ),
      ),
  ],
  [
    'WordPress, references',
    () => rss(many(20, (at) => item(at, `<content:encoded>${cdata(references)}</content:encoded>`))),
  ],
  [
    'WordPress, tags',
    () => rss(many(3, (at) => item(at, `${'<a>'.repeat(900_000)}${'</a>'.repeat(900_000)}`))),
  ],
  [
    'Markdown, references',
    () => folderOf(many(20, (at) => [`posts/${at}.md`, `# ${at}\n\n${references}`] as const)),
  ],
  [
    'Markdown, front matter',
    () =>
      folderOf(
        many(40, (at) => {
          const lines = many(3_000, (n) => `name${n}: [1, {a: 2}]`)
            .join('\n')
            .slice(0, 64_000);
          return [`${at}.md`, `---\n${lines}\n---\nText`] as const;
        }),
      ),
  ],
  [
    'Markdown, many files',
    () => folderOf(many(5_000, (at) => [`a/${at}.md`, `# ${at}\n\n[a](${at + 1}.md)`] as const)),
  ],
  [
    'Markdown, long titles',
    () => folderOf(many(8, (at) => [`${at}.md`, `# ${repeatText('é-', 3_000_000)}`] as const)),
  ],
  ['Ghost, more rows than the maximum', () => ghost(many(100_100, (id) => ({ id, title: 'a', html: 'a' })))],
  ['Substack, many readers', () => substack(`email\n${lines(300_000, (at) => `${at}@a.de`)}`)],
  ['Substack, many columns', () => substack(lines(200, () => repeatText('a,', 250_000)))],
  ['Substack, an unclosed quote', () => substack(`email\n"${repeatText('a\n', 20_000_000)}`)],
  [
    'Substack, many posts in the list',
    () =>
      substack(
        'email\n',
        lines(200_000, (at) => `${at},true,everyone`),
      ),
  ],
  [
    'a zip with a high compression ratio',
    () => zipOf(Object.fromEntries(many(20, (at) => [`${at}.md`, Buffer.alloc(8_000_000, 'a')] as const))),
  ],
];

export const imports: Attack[] = files.map(([name, make]) => {
  // The file is created once, by the first upload.
  let file: Promise<Buffer> | undefined;
  return {
    name: `an import (${name})`,
    atOnce: 1,
    isSlow: true,
    async send(site) {
      file ??= Promise.resolve(make());
      await site.upload('check', await file);
      await site.upload('import', await file);
    },
  };
});
