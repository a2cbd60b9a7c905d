import type { Reader } from '../../shared/content/gate.ts';
import type { Words } from '../../shared/i18n/en.ts';
import type { Card } from '../../shared/theme/card.ts';
import type { VisitedSite } from '../api/callers.ts';
import type { ResponseCache } from '../api/response-cache.ts';
import type { CallByName } from './procedures.ts';

/** Longest word of the query that a page looks at, such as what is searched for. */
export const longestPageParameter = 200;

/** Texts of a page, made from what owners wrote. */
export interface PageTexts {
  /** Whether one of them took too long to lay out: such a page isn't kept. */
  isAnyPlain(): boolean;
  html(content: string): Promise<string>;
  /** The first paragraph of a body as plain text, at most about `most` characters long. */
  excerpt(content: string, most?: number): Promise<string>;
  /** The paragraphs that a body begins with, as plain text; the last of them says whether more follows. */
  firstParagraphs(content: string): Promise<string[]>;
  /** The body as it was written, with addresses made absolute, relative to `base`. */
  withAbsoluteUrls(content: string, base: string): Promise<string>;
}

/** One visit to one page: all that a page may know. */
export interface Visit {
  site: VisitedSite;
  /** The site's own origin, whichever of its hosts was asked. */
  origin: string;
  reader: Reader;
  read: CallByName;
  responses: ResponseCache;
  words: Words;
  texts: PageTexts;
  /** A picture for where a page is shared that has none of its own. */
  drawCard(card: Card): Promise<Buffer>;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
}

export interface Document<Body = string | Buffer> {
  type: string;
  body: Body;
}

/** A page, feed or other text of the site, made of what procedures give. */
export interface Page<Body = string | Buffer> {
  /** Collections that it is made of: it is made anew once one of them has changed. */
  uses: readonly string[];
  query?: readonly string[];
  isAnonymous?: true;
  /** Throws `not_found` for an address that leads nowhere. */
  render(visit: Visit): Promise<Document<Body>>;
}
