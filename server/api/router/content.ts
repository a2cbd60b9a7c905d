import type { Field, Fields } from '../../../shared/contract/fields.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { resources } from '../../../shared/contract/resources/index.ts';
import { curriculumV2 } from '../../content/courses/procedures.ts';
import { visitorsList } from '../../content/pages/visitors-list.ts';
import * as post from '../../content/posts/public-procedures.ts';
import {
  cursorList,
  fullList,
  fullListWithCovers,
  getById,
  getBySlug,
  pageList,
  toolOf,
  v1Writes,
} from '../../content/records/procedures.ts';
import { studioOrder, studioRecords } from '../../content/records/studio-procedures.ts';
import { studioRevisions } from '../../content/revisions/procedures.ts';
import { studioSchedule } from '../../content/schedule/procedures.ts';
import { router } from '../trpc.ts';

const { posts, projects, courses, talks, experience, education, skills, certifications, pages } = resources;

const studioOf = <F extends Fields>(resource: Resource<F>) => ({
  ...studioRecords(resource),
  ...studioRevisions(resource),
});

const studioDrafts = <F extends Fields & { is_draft: Field }>(resource: Resource<F>) => ({
  ...studioOf(resource),
  ...studioSchedule(resource),
});

/** Procedures of a list that creators arrange in their own order. */
const arrangedOf = <F extends Fields & { is_draft: Field; sort_order: Field }>(resource: Resource<F>) => ({
  v1: router({ list: fullList(resource), ...v1Writes(resource) }),
  visitors: visitorsList(resource),
  studio: router({ ...studioDrafts(resource), ...studioOrder(resource) }),
});

/** Procedures of each resource: over v1, over v2, for pages of the site, and for the studio. */
const calls = {
  posts: {
    v1: router({ list: post.listV1, get: post.getV1, ...v1Writes(posts) }),
    v2: router({ list: post.listV2, get: post.getV2 }),
    studio: router(studioDrafts(posts)),
  },
  projects: {
    v1: router({ list: cursorList(projects), get: getBySlug(projects), ...v1Writes(projects) }),
    v2: router({ list: pageList(projects), get: getById(projects) }),
    visitors: visitorsList(projects),
    studio: router(studioDrafts(projects)),
  },
  courses: {
    v1: router({ list: cursorList(courses), ...v1Writes(courses) }),
    v2: router({
      list: pageList(courses),
      get: getById(courses, toolOf('get', courses)),
      curriculum: curriculumV2,
    }),
    visitors: visitorsList(courses),
    studio: router(studioDrafts(courses)),
  },
  talks: {
    v1: router({ list: fullListWithCovers(talks), ...v1Writes(talks) }),
    v2: router({ list: pageList(talks), get: getById(talks, toolOf('get', talks)) }),
    visitors: visitorsList(talks),
    studio: router(studioDrafts(talks)),
  },
  experience: arrangedOf(experience),
  education: arrangedOf(education),
  skills: {
    v1: router({ list: fullList(skills), ...v1Writes(skills) }),
    visitors: visitorsList(skills),
    studio: router({ ...studioOf(skills), ...studioOrder(skills) }),
  },
  certifications: arrangedOf(certifications),
  pages: { studio: router(studioDrafts(pages)) },
};

type Content = typeof calls;
type Surface = 'v1' | 'v2' | 'visitors' | 'studio';

type ContentOn<S extends Surface> = {
  [K in keyof Content as Content[K] extends Record<S, unknown> ? K : never]: Content[K] extends Record<
    S,
    infer R
  >
    ? R
    : never;
};

/** Returns the procedures of one surface, by resource; resources without any are omitted. */
function contentOn<S extends Surface>(surface: S): ContentOn<S> {
  const all = Object.entries<Partial<Record<Surface, unknown>>>(calls);
  const served = all.flatMap(([name, { [surface]: routers }]) => (routers ? [[name, routers]] : []));
  // TypeScript cannot follow which resources the loop keeps, so the cast states it.
  return Object.fromEntries(served) as ContentOn<S>;
}

export const content = {
  v1: contentOn('v1'),
  v2: contentOn('v2'),
  visitors: contentOn('visitors'),
  studio: contentOn('studio'),
};
