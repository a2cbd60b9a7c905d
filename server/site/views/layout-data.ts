import { searchedCollections } from '../../../shared/contract/features/search.ts';
import { unnamedSite } from '../../../shared/contract/features/site.ts';
import type { SectionName } from '../../../shared/contract/features/theme.ts';
import { collectionStateOf } from '../../api/access/site-of-host.ts';
import type { VisitedSite } from '../../api/callers.ts';
import type { Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';

export interface LayoutData {
  name: string;
  creator: string;
  profile: OutputOf<'v1.profile.get'>;
  pages: OutputOf<'visitors.pages.list'>['data'];
  nav: { path: string; title: string }[];
  isSearchable: boolean;
}

export const layoutCollections = ['profiles', 'pages'];

/** Sections with their own page, and the collections that it lists. */
const sectionPages: Partial<Record<SectionName, { path: string; filledBy: string[] }>> = {
  posts: { path: '/posts', filledBy: ['posts'] },
  projects: { path: '/projects', filledBy: ['projects'] },
  courses: { path: '/courses', filledBy: ['courses'] },
  talks: { path: '/talks', filledBy: ['talks'] },
  cv: { path: '/cv', filledBy: ['experience', 'education', 'skills', 'certifications'] },
};

/** Returns the title of a site: its name, or the name of its creator until it has one. */
export const siteTitle = ({ name }: VisitedSite, profile: { name: string }) =>
  name === unnamedSite ? profile.name || name : name;

export const hasAny = (site: VisitedSite, collections: readonly string[]) =>
  collections.some((name) => collectionStateOf(site, name).public_count > 0);

export async function readLayoutData({ site, read, strings }: Visit): Promise<LayoutData> {
  const [profile, pages] = await Promise.all([read('v1.profile.get'), read('visitors.pages.list')]);
  const nav = site.theme.sections.flatMap((section) => {
    const about = sectionPages[section];
    return about && hasAny(site, about.filledBy) ? [{ path: about.path, title: strings[section] }] : [];
  });
  return {
    name: siteTitle(site, profile),
    creator: profile.name || site.name,
    profile,
    pages: pages.data,
    nav,
    isSearchable: hasAny(site, searchedCollections),
  };
}
