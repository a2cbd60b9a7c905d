import type { RenderedMarkdown } from './render.ts';

/** What was made of a text. */
export interface Made<T> {
  made: T;
  /** Reading it takes too long, so it is shown as it was written. It is read again after a minute. */
  isPlain: boolean;
}

/** The texts of a site, read by threads of their own: each once, whatever else changes around it. */
export interface Markdown {
  render(content: string): Promise<Made<RenderedMarkdown>>;
  /** The first paragraph as plain text. */
  excerpt(content: string): Promise<Made<string>>;
  /** The paragraphs that a body begins with, as plain text. */
  firstParagraphs(content: string): Promise<Made<string[]>>;
}
