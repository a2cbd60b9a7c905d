import type { z } from 'zod';
import type { PostV1 } from '../../../shared/contract/features/post-read.ts';

export const markdown = 'text/markdown';

export const postUri = (slug: string) => `site://posts/${slug}`;

type Post = Pick<z.output<typeof PostV1>, 'title' | 'excerpt' | 'content' | 'gate_reason'>;

/** A post as an assistant reads it: its headline, then its body, or its teaser where the body is withheld. */
export function postText({ title, excerpt, content, gate_reason }: Post): string {
  const body = content ?? `${excerpt}\n\n(The content is withheld: ${gate_reason})`;
  return `# ${title}\n\n${body.trim()}\n`;
}
