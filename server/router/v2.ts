import { resources } from '../../shared/contract/resources/index.ts';
import { curriculumV2 } from '../features/curriculum/v2.ts';
import { getV2, listV2 } from '../features/posts/procedures.ts';
import { getById, pageList } from '../features/records/procedures.ts';
import { getTool } from '../features/records/tools.ts';
import { router } from '../kernel/trpc.ts';

const { projects, courses, talks } = resources;

/** SPEC "v2 read": the same resources, by page and id, and from memory as in v1; the curriculum is not. */
export const contentV2 = {
  posts: router({ list: listV2, get: getV2 }),
  projects: router({ list: pageList(projects), get: getById(projects) }),
  courses: router({
    list: pageList(courses),
    get: getById(courses, getTool(courses)),
    curriculum: curriculumV2,
  }),
  talks: router({ list: pageList(talks), get: getById(talks, getTool(talks)) }),
};
