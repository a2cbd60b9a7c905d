import { type Attack, repeatText } from './attacker.ts';
import { connections } from './connections.ts';
import { images, imports } from './files.ts';
import { reads } from './reads.ts';

/** Length of a body just below the limit, with room for a title. */
const longest = 499_000;

const blocks = [
  '```markdown\n[a](b)\n```\n\n',
  `\`\`\`ts\n${repeatText('public a.b(', 290)}\n\`\`\`\n\n`,
  `${'a|'.repeat(180)}b\n${'-|'.repeat(180)}-\n${'c\n'.repeat(362)}\n`,
  Array.from({ length: 99 }, (_, at) => `${' '.repeat(at * 2)}- a\n`).join(''),
  'a[^1] b[^2]\n\n[^1]: c\n\n',
  `${'> '.repeat(90)}a\n`,
];

const spans = ['[a](b "c") [d][e] ', '[[', 'a **b __c*', '<i><b title="a">'];

/** Attacks by bodies that are expensive to render. Each is written and read immediately. */
const texts: Attack[] = (
  [
    ['code, tables, nested lists, footnotes and quotations', blocks],
    ['links, brackets, emphasis and tags', spans],
  ] as const
).map(([name, pieces]) => ({
  name: `bodies that consist only of ${name}`,
  atOnce: pieces.length,
  async send(site, at) {
    const slug = `dear-${at}`;
    const content = repeatText(pieces[at] ?? '', longest) + at;
    await site.ask('/api/v1/posts', { body: { title: 'Dear', slug, content, is_draft: false } });
    await site.ask(`/posts/${slug}`, { as: 'visitor' });
    await site.ask('/feed.xml', { as: 'visitor' });
  },
}));

/** Attacks by the forms of visitors. */
const forms: Attack[] = [
  {
    name: 'testimonials and newsletter subscriptions',
    atOnce: 16,
    async send(site, at) {
      const email = `${at}@example.com`;
      const testimonial = { name: 'a', email, content: repeatText('<b>&', 4_900), rating: 5 };
      const rpc = (name: string, json: object) =>
        site.ask(`/trpc/${name}`, { as: 'visitor', body: { json } });
      await rpc('site.testimonials.submit', testimonial);
      await rpc('site.newsletter.subscribe', { email });
    },
  },
  {
    name: 'attempts to sign in',
    atOnce: 16,
    send: (site, at) =>
      site.ask('/api/admin/session', {
        as: 'visitor',
        body: { email: `${at}@example.com`, password: repeatText('a', 1_000) },
      }),
  },
];

/** All attacks by one site or its visitors on the other sites of the process. */
export const attacks: readonly Attack[] = [
  ...texts,
  ...forms,
  ...images,
  ...imports,
  ...reads,
  ...connections,
];
