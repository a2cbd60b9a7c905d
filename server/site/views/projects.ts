import { html } from 'hono/html';
import { breadcrumbs, project as projectData } from '../feeds/json-ld.ts';
import type { Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';
import { bodyHtml, directed } from './body.ts';
import { recordMeta, requestedRecord } from './card.ts';
import { pageCover } from './images.ts';
import { htmlPage, type PageContent } from './layout.ts';
import type { LayoutData } from './layout-data.ts';
import { recordList, requestedPage } from './pager.ts';
import { joined, when } from './parts.ts';
import { projectCards, projectLinks, statusText } from './records.ts';

type Project = OutputOf<'v1.projects.get'>;

/** `/projects` */
export const projects = htmlPage({
  uses: ['projects'],
  query: ['page'],
  async view(visit) {
    const list = await visit.read('visitors.projects', requestedPage(visit));
    return recordList(visit, 'projects', list, await projectCards(visit, list.items, 2));
  },
});

/** `/projects/{slug}` */
export const project = htmlPage({
  uses: ['projects', 'media'],
  async view(visit, layout) {
    const found = await visit.read('v1.projects.get', requestedRecord(visit));
    return projectContent(visit, layout, found);
  },
});

export async function projectContent(visit: Visit, layout: LayoutData, found: Project): Promise<PageContent> {
  const { title, description, url, repo_url, status, tech_stack, tags } = found;
  const { strings } = visit;
  const body = await bodyHtml(visit, description);
  return {
    ...recordMeta('projects', found),
    kind: 'article',
    description: await visit.texts.excerpt(description, 160),
    data: [await projectData(visit, layout, found), breadcrumbs(visit, 'projects', found)],
    main: html`<article>
<header class="opening"><p class="meta">${joined([strings.project, statusText(strings, status)])}</p><h1${directed(visit, title)}>${title}</h1>
${projectLinks(strings, { url, repo_url, title: '' })}</header>
${pageCover(found)}
<div class="body prose"${directed(visit, description)}>${body}</div>
<footer class="after">
${when(tech_stack.length > 0, () => html`<dl class="facts"><dt>${strings.builtWith}</dt><dd>${tech_stack.join(', ')}</dd></dl>`)}
${tagNames(tags)}</footer>
</article>`,
  };
}

/** Tags of a project as text, since projects have no pages by tag. */
const tagNames = (tags: readonly string[]) =>
  when(tags.length > 0, () => html`<p class="meta">${joined(tags)}</p>`);
