import { hash } from 'node:crypto';
import { asWritten } from '../../../shared/content/sanitized-html.ts';
import { cutText } from '../../../shared/contract/cut-text.ts';
import type { RenderedMarkdown } from '../../../shared/markdown/index.ts';
import type { Deps } from '../../api/deps.ts';
import { cachedValues, type ResponseCache, unchanging } from '../../api/response-cache.ts';
import { type Job, OverLimitError } from '../../api/thread-pool.ts';
import { absoluteJob, excerptJob, firstParagraphsJob, renderJob } from './jobs.ts';

/** Result of rendering a text. */
interface RenderResult<T> {
  made: T;
  /**
   * True if rendering exceeded its time or memory, so that the text is shown as written. It is rendered again after a
   * minute.
   */
  isPlain: boolean;
}

/** Rendering of a site's texts on threads. Results are cached by the text, and survive other changes. */
export interface Markdown {
  render(content: string): Promise<RenderResult<RenderedMarkdown>>;
  /** Returns the first paragraph as plain text. */
  excerpt(content: string): Promise<RenderResult<string>>;
  /** Returns the first paragraphs as plain text. */
  firstParagraphs(content: string): Promise<RenderResult<string[]>>;
  /** Returns the body as written, with URLs made absolute, relative to `base`. */
  withAbsoluteUrls(content: string, base: string): Promise<RenderResult<string>>;
}

/**
 * Time until a text that exceeded its time or memory is rendered again, in milliseconds: the machine may have been busy.
 */
const plainMs = 60_000;

/** Creates the renderer of Markdown for each site. Its results share the memory of the response cache. */
export function createMarkdown({
  threadPool,
  responses,
}: Pick<Deps, 'threadPool' | 'responses'>): (siteId: string) => Markdown {
  const rendered = createKeeper(
    responses,
    renderJob,
    (content) => ({ html: asWritten(content), excerpt: beginningOf(content) }),
    ({ html, excerpt }) => 2 * (html.length + excerpt.length),
  );
  const excerpts = createKeeper(responses, excerptJob, beginningOf, ({ length }) => 2 * length);
  const paragraphs = createKeeper(
    responses,
    firstParagraphsJob,
    (content) => [beginningOf(content)],
    (all) => all.reduce((sum, { length }) => sum + 2 * length, 0),
  );
  const absolute = createKeeper(
    responses,
    absoluteJob,
    ({ content }) => content,
    ({ length }) => 2 * length,
  );
  return (siteId) => {
    const run: Run = (job, input) => threadPool.run(siteId, job, input);
    return {
      render: (content) => rendered(siteId, content, run),
      async excerpt(content) {
        const body = rendered.known(content);
        return body ? { ...body, made: body.made.excerpt } : excerpts(siteId, content, run);
      },
      firstParagraphs: (content) => paragraphs(siteId, content, run),
      withAbsoluteUrls: (content, base) => absolute(siteId, { content, base }, run),
    };
  };
}

type Run = <Input, Output>(job: Job<Input, Output>, input: Input) => Promise<Output>;

/**
 * Creates a function that runs one job and caches its results. Concurrent requests of a site for the same input share
 * one run. If the job exceeds its time or memory, the result of `plain` is cached for a minute instead. `bytes` returns
 * the size of a result.
 */
function createKeeper<Input, Output>(
  responses: ResponseCache,
  job: Job<Input, Output>,
  plain: (input: Input) => Output,
  bytes: (made: Output) => number,
) {
  const kept = cachedValues<RenderResult<Output> & { until: number }>(job.name);
  const underWay = new Map<string, Promise<RenderResult<Output>>>();
  const keyOf = (input: Input) =>
    unchanging(hash('sha256', typeof input === 'string' ? input : JSON.stringify(input), 'base64url'));

  const make = async (input: Input, run: Run): Promise<RenderResult<Output>> => {
    const found = await run(job, input).then(
      (made) => ({ made, isPlain: false, until: Number.POSITIVE_INFINITY }),
      (error: unknown) => {
        if (!(error instanceof OverLimitError)) throw error;
        return { made: plain(input), isPlain: true, until: performance.now() + plainMs };
      },
    );
    kept.keep(responses, keyOf(input), { thing: found, bytes: bytes(found.made) });
    return found;
  };
  const known = (input: Input): RenderResult<Output> | undefined => {
    const found = kept.get(responses, keyOf(input));
    return found && performance.now() < found.until ? found : undefined;
  };
  const render = async (siteId: string, input: Input, run: Run): Promise<RenderResult<Output>> => {
    const found = known(input);
    if (found) return found;
    const flight = `${siteId} ${keyOf(input).question}`;
    const making = underWay.get(flight) ?? make(input, run).finally(() => underWay.delete(flight));
    underWay.set(flight, making);
    return making;
  };
  return Object.assign(render, { known });
}

/** Beginning of a text as written, on one line. */
const beginningOf = (content: string) => cutText(content, 1_000).replace(/\s+/g, ' ').trim();
