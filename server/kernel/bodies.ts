/** A body as a page shows it. */
export interface RenderedBody {
  /** Safe HTML. */
  html: string;
  /** The first paragraph as plain text. */
  opening: string;
}

/** What was made of a text. */
export interface Made<T> {
  made: T;
  /** Reading it takes too long, so it is shown as it was written. It is read again after a minute. */
  isPlain: boolean;
}

/** The texts of a site, read by threads of their own: each once, whatever else changes around it. */
export interface Bodies {
  render(content: string): Promise<Made<RenderedBody>>;
  /** The first paragraph as plain text. */
  opening(content: string): Promise<Made<string>>;
  /** The paragraphs that a body begins with, as plain text. */
  openingParagraphs(content: string): Promise<Made<string[]>>;
}
