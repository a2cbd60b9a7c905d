import { certification } from './certification.ts';
import { course } from './course.ts';
import { education } from './education.ts';
import { experience } from './experience.ts';
import { lesson } from './lesson.ts';
import { module } from './module.ts';
import { page } from './page.ts';
import { post } from './post.ts';
import { project } from './project.ts';
import { skill } from './skill.ts';
import { talk } from './talk.ts';

/** Every kind of content, by its collection. */
export const resources = {
  posts: post,
  projects: project,
  courses: course,
  talks: talk,
  experience,
  education,
  skills: skill,
  certifications: certification,
  pages: page,
};

/** The curriculum of courses, which has no REST paths of its own. */
export const curriculumResources = { modules: module, lessons: lesson };
