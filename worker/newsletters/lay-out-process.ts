/** Program that renders both bodies of a mailing from JSON on standard input, and prints them as JSON. */
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { asWritten } from '../../shared/content/sanitized-html.ts';
import { Theme } from '../../shared/contract/features/theme.ts';
import { renderBody } from '../../shared/markdown/index.ts';
import { mailBodies } from '../../shared/newsletter/bodies.ts';
import { MailedImage } from '../../shared/newsletter/mailed-images.ts';
import { faultyInputExit } from '../run-program.ts';

const { look, accent, font, scheme } = Theme.shape;

const MailSource = z.object({
  content: z.string(),
  post: z.object({
    title: z.string(),
    slug: z.string(),
    excerpt: z.string(),
    cover: MailedImage.nullable(),
    pictures: z.array(MailedImage),
  }),
  site: z.object({
    name: z.string(),
    language: z.string(),
    theme: z.object({ look, accent, font, scheme }),
    origin: z.string(),
    postalAddress: z.string(),
  }),
  words: z.object({ subject: z.string(), preheader: z.string() }),
});

export type MailSource = z.infer<typeof MailSource>;

const { content, post, site, words: strings } = MailSource.parse(JSON.parse(await text(process.stdin)));
try {
  const { html, excerpt: beginning } = renderBody(content);
  if (html === asWritten(content)) throw new Error('the post has too many HTML tags for an email');
  process.stdout.write(JSON.stringify(await mailBodies({ ...post, html, beginning }, site, strings)));
} catch (error) {
  console.error(error);
  process.exit(faultyInputExit);
}
