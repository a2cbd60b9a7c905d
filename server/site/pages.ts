import { sitePaths } from '../../shared/contract/site-paths.ts';
import { atom, jsonFeed } from './feeds/feeds.ts';
import { sitemap } from './feeds/sitemap.ts';
import { favicon, llms, postMarkdown, robots } from './feeds/texts.ts';
import type { Page } from './page.ts';
import { socialImages } from './views/card.ts';
import { course, courses } from './views/courses.ts';
import { customPage } from './views/custom-page.ts';
import { cv } from './views/cv.ts';
import { home } from './views/home.ts';
import { newsletter } from './views/newsletter.ts';
import { post, posts, tag } from './views/posts.ts';
import { project, projects } from './views/projects.ts';
import { search } from './views/search.ts';
import { signIn } from './views/sign-in.ts';
import { talks } from './views/talks.ts';
import { testimonials } from './views/testimonials.ts';

/** Route of custom pages: any path without another route. */
export const anySlug = '/:slug';

export const pages: readonly [path: string, page: Page][] = [
  [sitePaths.home, home],
  [sitePaths.posts, posts],
  [sitePaths.post, post],
  [`${sitePaths.post}.md`, postMarkdown],
  [sitePaths.tag, tag],
  [sitePaths.projects, projects],
  [sitePaths.project, project],
  [sitePaths.courses, courses],
  [sitePaths.course, course],
  [sitePaths.talks, talks],
  [sitePaths.cv, cv],
  [sitePaths.search, search],
  [sitePaths.testimonials, testimonials],
  [sitePaths.newsletter, newsletter],
  [sitePaths.signIn, signIn],
  [sitePaths.atom, atom],
  [sitePaths.tagFeed, atom],
  [sitePaths.jsonFeed, jsonFeed],
  [sitePaths.sitemap, sitemap],
  [sitePaths.robots, robots],
  [sitePaths.llms, llms],
  [sitePaths.favicon, favicon],
  ...socialImages,
  [anySlug, customPage],
];
