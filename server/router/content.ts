import { resources } from '../../shared/contract/resources/index.ts';
import { curriculumV2 } from '../features/curriculum/procedures.ts';
import * as post from '../features/posts/post-reads.ts';
import {
  create,
  cursorList,
  fullList,
  fullListWithCovers,
  getById,
  getBySlug,
  pageList,
  remove,
  update,
} from '../features/records/procedures.ts';
import { studioDrafts, studioOrder, studioRecords } from '../features/records/studio.ts';
import { getTool } from '../features/records/tools.ts';
import { visitorsList } from '../features/records/visitors-list.ts';
import { mergeRouters, router } from '../kernel/trpc.ts';

const { posts, projects, courses, talks, experience, education, skills, certifications, pages } = resources;

/** What can be done with each resource: over v1, over v2, by pages of the site, and by its owner in the studio. */
const calls = {
  posts: {
    v1: router({
      list: post.listV1,
      get: post.getV1,
      create: create(posts),
      update: update(posts),
      delete: remove(posts),
    }),
    v2: router({ list: post.listV2, get: post.getV2 }),
    studio: studioDrafts(posts),
  },
  projects: {
    v1: router({
      list: cursorList(projects),
      get: getBySlug(projects),
      create: create(projects),
      update: update(projects),
      delete: remove(projects),
    }),
    v2: router({ list: pageList(projects), get: getById(projects) }),
    visitors: visitorsList(projects),
    studio: studioDrafts(projects),
  },
  courses: {
    v1: router({
      list: cursorList(courses),
      create: create(courses),
      update: update(courses),
      delete: remove(courses),
    }),
    v2: router({
      list: pageList(courses),
      get: getById(courses, getTool(courses)),
      curriculum: curriculumV2,
    }),
    visitors: visitorsList(courses),
    studio: studioDrafts(courses),
  },
  talks: {
    v1: router({
      list: fullListWithCovers(talks),
      create: create(talks),
      update: update(talks),
      delete: remove(talks),
    }),
    v2: router({ list: pageList(talks), get: getById(talks, getTool(talks)) }),
    visitors: visitorsList(talks),
    studio: studioDrafts(talks),
  },
  experience: {
    v1: router({
      list: fullList(experience),
      create: create(experience),
      update: update(experience),
      delete: remove(experience),
    }),
    visitors: visitorsList(experience),
    studio: mergeRouters(studioDrafts(experience), studioOrder(experience)),
  },
  education: {
    v1: router({
      list: fullList(education),
      create: create(education),
      update: update(education),
      delete: remove(education),
    }),
    visitors: visitorsList(education),
    studio: mergeRouters(studioDrafts(education), studioOrder(education)),
  },
  skills: {
    v1: router({
      list: fullList(skills),
      create: create(skills),
      update: update(skills),
      delete: remove(skills),
    }),
    visitors: visitorsList(skills),
    studio: mergeRouters(studioRecords(skills), studioOrder(skills)),
  },
  certifications: {
    v1: router({
      list: fullList(certifications),
      create: create(certifications),
      update: update(certifications),
      delete: remove(certifications),
    }),
    visitors: visitorsList(certifications),
    studio: mergeRouters(studioDrafts(certifications), studioOrder(certifications)),
  },
  pages: { studio: studioDrafts(pages) },
};

type Content = typeof calls;
type Surface = 'v1' | 'v2' | 'visitors' | 'studio';

/** What there is on one surface, by resource. */
type ContentOn<S extends Surface> = {
  [K in keyof Content as Content[K] extends Record<S, unknown> ? K : never]: Content[K] extends Record<
    S,
    infer R
  >
    ? R
    : never;
};

/** What there is on one surface, by resource; a resource that is not served there is left out. */
function contentOn<S extends Surface>(surface: S): ContentOn<S> {
  const all = Object.entries<Partial<Record<Surface, unknown>>>(calls);
  const served = all.flatMap(([name, { [surface]: routers }]) => (routers ? [[name, routers]] : []));
  // The loop loses which resources have the surface; the type says what the filter kept.
  return Object.fromEntries(served) as ContentOn<S>;
}

/** The same by surface. */
export const content = {
  v1: contentOn('v1'),
  v2: contentOn('v2'),
  visitors: contentOn('visitors'),
  studio: contentOn('studio'),
};
