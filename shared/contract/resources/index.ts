import { keysOf } from '../names-of.ts';
import { hasDrafts, type Resource } from '../resource.ts';
import { certification } from './certification.ts';
import { course } from './course.ts';
import { lesson, module } from './curriculum.ts';
import { education } from './education.ts';
import { experience } from './experience.ts';
import { page } from './page.ts';
import { post } from './post.ts';
import { project } from './project.ts';
import { skill } from './skill.ts';
import { talk } from './talk.ts';

/** Resources with REST paths or a page on the site, by collection. */
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

/** Resources of the curriculum of courses, which have no REST paths. */
export const curriculumResources = { modules: module, lessons: lesson };

/** All resources, by collection. */
export const allResources: { readonly [C in ContentCollection]: Resource } = {
  ...resources,
  ...curriculumResources,
};

export type ContentCollection = keyof typeof resources | keyof typeof curriculumResources;

export const contentCollections = keysOf(allResources);

type Resources = typeof resources;

/** Collections of the resources with this property. */
type CollectionsWith<Flag extends 'events' | 'ownersOnly'> = {
  [K in keyof Resources]: Resources[K] extends Record<Flag, true> ? K : never;
}[keyof Resources];

export type EventfulCollection = CollectionsWith<'events'>;
type ApiCollection = Exclude<keyof Resources, CollectionsWith<'ownersOnly'>>;

/** Collections whose writes emit `content.*` events. */
export const eventfulCollections = collectionsWhere<EventfulCollection>(({ events }) => events === true);

/** Collections that the API and assistants can access. */
export const apiCollections = collectionsWhere<ApiCollection>(({ ownersOnly }) => !ownersOnly);

/** Collections of the API whose records can be drafts. */
export const draftCollections = apiCollections.filter((name) => hasDrafts(resources[name].fields));

/** All collections whose records can be drafts, including those that the API cannot access. */
export const scheduledCollections = contentCollections.filter((name) => hasDrafts(allResources[name].fields));

function collectionsWhere<C extends keyof Resources>(matches: (resource: Resource) => boolean) {
  // `matches` checks the same property that the type of `C` selects.
  return keysOf(resources).filter((name): name is C => matches(resources[name]));
}
