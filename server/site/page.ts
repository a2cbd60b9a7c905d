import type { Reader } from '../../shared/content/gate.ts';
import type { SiteStrings } from '../../shared/i18n/en.ts';
import type { Card } from '../../shared/theme/card.ts';
import type { VisitedSite } from '../api/callers.ts';
import type { ResponseCache } from '../api/response-cache.ts';
import type { CallByName } from './procedures.ts';

/** Maximum length of a query parameter of a page, such as a search. */
export const maxPageParameterLength = 200;

/** Texts of a page, rendered from what owners wrote. */
export interface PageTexts {
  /** Returns whether a text took too long to render. Such a page is not cached. */
  isAnyPlain(): boolean;
  html(content: string): Promise<string>;
  /** Returns the first paragraph of a body as plain text, at most about `max` characters long. */
  excerpt(content: string, max?: number): Promise<string>;
  /** Returns the first paragraphs of a body as plain text. The last one indicates whether more follows. */
  firstParagraphs(content: string): Promise<string[]>;
  /** Returns a body as written, with URLs made absolute, relative to `base`. */
  withAbsoluteUrls(content: string, base: string): Promise<string>;
}

/** Request for a page, with everything that rendering may use. */
export interface Visit {
  site: VisitedSite;
  /** Main origin of the site, whichever host was requested. */
  origin: string;
  /** Origin of PUBLIC_URL, which addresses of files that were copied from the studio contain. */
  publicOrigin: string;
  reader: Reader;
  read: CallByName;
  responses: ResponseCache;
  strings: SiteStrings;
  texts: PageTexts;
  /** Draws the social image of a page without a cover. */
  drawCard(card: Card): Promise<Buffer>;
  /** True at a host where the demo provider sells, so that pages have buy buttons before a provider is connected. */
  isDemo: boolean;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
}

export interface Document<Body = string | Buffer> {
  type: string;
  body: Body;
  /** Origin of the only frame that the page contains. Only pages that are never cached have one. */
  frame?: string | undefined;
}

/** Page, feed or other document of the site, rendered from the results of procedures. */
export interface Page<Body = string | Buffer> {
  /** Collections that the page depends on. It is rendered again after one has changed. */
  uses: readonly string[];
  query?: readonly string[];
  isAnonymous?: true;
  /** True if the page differs between members with the same entitlements. It is cached only for visitors who are not signed in. */
  isPersonal?: true;
  /** Renders the page. Throws `not_found` if its record does not exist. */
  render(visit: Visit): Promise<Document<Body>>;
}
