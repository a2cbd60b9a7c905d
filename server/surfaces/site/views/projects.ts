import { html } from 'hono/html';
import { paging } from '../../../../shared/contract/limits.ts';
import { sitePaths } from '../../../../shared/contract/site-paths.ts';
import { breadcrumbs, project as projectData } from '../machines/json-ld.ts';
import { bodyHtml } from './body.ts';
import { pageCover } from './cover.ts';
import { htmlPage } from './layout.ts';
import { joined, outLink, when } from './parts.ts';
import { projectCard } from './records.ts';

/** Most records of a collection that one page lists: nobody has as many projects or courses. */
export const mostListed = paging.cursor.max;

/** `/projects` */
export const projects = htmlPage({
  uses: ['projects'],
  async view(visit) {
    const { data } = await visit.read('v1.projects.list', { limit: mostListed, include: ['cover'] });
    const cards = await Promise.all(data.map((project) => projectCard(visit, project, 2)));
    return {
      title: 'Projects',
      path: sitePaths.projects,
      kind: 'projects',
      description: 'Things made, or being made.',
      main: html`<div class="opening"><h1>Projects</h1></div>
<div class="cards">${cards}</div>
${when(data.length === 0, () => html`<p class="lead">Nothing here yet.</p>`)}`,
    };
  },
});

/** `/projects/{slug}` */
export const project = htmlPage({
  uses: ['projects', 'media'],
  async view(visit, frame) {
    const found = await visit.read('v1.projects.get', {
      slug: visit.params.slug ?? '',
      include: ['cover', 'meta'],
    });
    const { title, slug, description, url, repo_url, status, tech_stack, tags } = found;
    const path = `/projects/${slug}`;
    const body = await bodyHtml(visit, description);
    return {
      title,
      path,
      kind: 'article',
      description: await visit.texts.opening(description, 160),
      shared: found,
      data: [
        await projectData(visit, frame, found),
        breadcrumbs(visit, [
          { name: 'Projects', path: sitePaths.projects },
          { name: title, path },
        ]),
      ],
      main: html`<article>
<header class="opening"><p class="meta">${joined(['Project', status])}</p><h1>${title}</h1>
${when(url || repo_url, () => html`<p class="links">${outLink(url, 'Visit')}${outLink(repo_url, 'Source')}</p>`)}</header>
${pageCover(found)}
<div class="body prose">${body}</div>
<footer class="after">
${when(tech_stack.length > 0, () => html`<dl class="facts"><dt>Built with</dt><dd>${tech_stack.join(', ')}</dd></dl>`)}
${tagWords(tags)}</footer>
</article>`,
    };
  },
});

/** Topics of what has no pages by topic. */
const tagWords = (tags: readonly string[]) =>
  when(tags.length > 0, () => html`<p class="meta">${joined(tags)}</p>`);
