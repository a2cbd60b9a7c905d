import { resources } from '../../shared/contract/resources/index.ts';
import { curriculumV2 } from '../curriculum/v2.ts';
import { router } from '../trpc.ts';
import { getV2, listV2 } from './posts.ts';
import { getById, pageList } from './procedures.ts';
import { getTool } from './tools.ts';

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
