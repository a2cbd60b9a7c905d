import { resources } from '../../shared/contract/resources/index.ts';
import { studioRecords } from '../features/records/studio.ts';

/** What owners do with each kind of content, custom pages included. */
export const contentStudio = {
  posts: studioRecords(resources.posts),
  projects: studioRecords(resources.projects),
  courses: studioRecords(resources.courses),
  talks: studioRecords(resources.talks),
  experience: studioRecords(resources.experience),
  education: studioRecords(resources.education),
  skills: studioRecords(resources.skills),
  certifications: studioRecords(resources.certifications),
  pages: studioRecords(resources.pages),
};
