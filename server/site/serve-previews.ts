import type { FastifyInstance } from 'fastify';
import { gate } from '../../shared/content/gate.ts';
import { sitePaths } from '../../shared/contract/site-paths.ts';
import type { Deps } from '../api/deps.ts';
import { textsOf } from '../http/body.ts';
import type { Visit } from './page.ts';
import { pageHeaders } from './policy.ts';
import type { OutputOf } from './procedures.ts';
import { courseContent } from './views/courses.ts';
import { customPageContent } from './views/custom-page.ts';
import { type PageContent, renderInLayout } from './views/layout.ts';
import { type LayoutData, layoutCollections } from './views/layout-data.ts';
import { postContent } from './views/posts.ts';
import { projectContent } from './views/projects.ts';
import { visitedSite, visitOf, visitorContext } from './visit.ts';

type ShownPreview = Exclude<OutputOf<'visitors.preview'>, { to: string }>;

/** Headers of previews. Anyone with the URL may read, so that it must not reach caches, search engines or other sites. */
const previewHeaders = {
  ...pageHeaders,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};

/** Serves drafts as pages to visitors with a preview link. After publication, the link redirects to the page. */
export function servePreviews(app: FastifyInstance, deps: Deps) {
  app.get(sitePaths.preview, { config: { tier: 'site' } }, async (request, reply) => {
    const ctx = { ...visitorContext(deps, request), memberToken: undefined };
    const visit = visitOf(ctx, await visitedSite(ctx, request), { uses: [...layoutCollections, 'media'] });
    const { token = '' } = textsOf(request.params);
    const shown = await visit.read('visitors.preview', { token });
    reply.headers(previewHeaders);
    if ('to' in shown) return reply.code(303).header('Location', shown.to).send();
    const { slug } = shown.previewed.record;
    const { type, body } = await renderInLayout(
      { ...visit, reader: shown.reader, params: { slug } },
      async (visit, layout) => {
        // Without social image and structured data, since these would reveal the draft's page.
        const { card: _, data: __, ...content } = await contentOf(visit, layout, shown);
        return { ...content, hidden: true };
      },
    );
    return reply.type(type).send(body);
  });
}

function contentOf(
  visit: Visit,
  layout: LayoutData,
  { previewed, outline }: ShownPreview,
): Promise<PageContent> {
  switch (previewed.collection) {
    case 'posts':
      return postContent(visit, layout, previewed.record, null);
    case 'projects':
      return projectContent(visit, layout, previewed.record);
    case 'courses': {
      const { record } = previewed;
      const curriculum = outline ?? { course_id: record.id, modules: [] };
      return courseContent(visit, layout, {
        record,
        curriculum,
        reason: gate('courses', record, visit.reader),
      });
    }
    case 'pages':
      return customPageContent(visit, layout, previewed.record);
  }
}
