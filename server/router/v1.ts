import { resources } from '../../shared/contract/resources/index.ts';
import { getV1, listV1 } from '../features/posts/procedures.ts';
import { create, cursorList, fullList, getBySlug, remove, update } from '../features/records/procedures.ts';
import { router } from '../kernel/trpc.ts';

const { posts, projects, courses, talks, experience, education, skills, certifications } = resources;

/** SPEC "v1 read and write". Every list and get is answered from memory while its collection is unchanged. */
export const contentV1 = {
  posts: router({
    list: listV1,
    get: getV1,
    create: create(posts),
    update: update(posts),
    delete: remove(posts),
  }),
  projects: router({
    list: cursorList(projects),
    get: getBySlug(projects),
    create: create(projects),
    update: update(projects),
    delete: remove(projects),
  }),
  courses: router({
    list: cursorList(courses),
    create: create(courses),
    update: update(courses),
    delete: remove(courses),
  }),
  talks: router({
    list: fullList(talks),
    create: create(talks),
    update: update(talks),
    delete: remove(talks),
  }),
  experience: router({
    list: fullList(experience),
    create: create(experience),
    update: update(experience),
    delete: remove(experience),
  }),
  education: router({
    list: fullList(education),
    create: create(education),
    update: update(education),
    delete: remove(education),
  }),
  skills: router({
    list: fullList(skills),
    create: create(skills),
    update: update(skills),
    delete: remove(skills),
  }),
  certifications: router({
    list: fullList(certifications),
    create: create(certifications),
    update: update(certifications),
    delete: remove(certifications),
  }),
};
