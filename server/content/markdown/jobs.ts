import type { RenderedMarkdown } from '../../../shared/markdown/index.ts';
import type { Job } from '../../api/thread-pool.ts';

/** CPU time limit for rendering a text, in milliseconds. Above it, the text is shown as written. */
const text = { queue: 'texts', cpuMs: 250 } as const;

export const renderJob: Job<string, RenderedMarkdown> = { name: 'render', ...text };
export const excerptJob: Job<string, string> = { name: 'excerpt', ...text };
export const absoluteJob: Job<{ content: string; base: string }, string> = {
  name: 'absolute addresses',
  ...text,
};
export const firstParagraphsJob: Job<string, string[]> = { name: 'first paragraphs', ...text };
