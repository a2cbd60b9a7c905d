import { html } from 'hono/html';
import { mailtoUrl } from '../../../shared/contract/email.ts';
import { listsOnPages } from '../../../shared/contract/limits.ts';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import { person } from '../feeds/json-ld.ts';
import type { Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';
import { summariesOf } from './body.ts';
import { datesAt } from './dates.ts';
import { htmlPage } from './layout.ts';
import type { LayoutData } from './layout-data.ts';
import { lastPageOf, pageOf, pager, pageTitle, withPage } from './pager.ts';
import { band, each, joined, middot, nameList, outLink, type View, when } from './parts.ts';

type Item<Name extends string> = OutputOf<Name> extends { items: (infer T)[] } ? T : never;

/** `/cv`: experience, education, skills and certifications; also designed for printing. */
export const cv = htmlPage({
  uses: ['experience', 'education', 'skills', 'certifications', 'media'],
  query: ['page'],
  async view(visit, layout) {
    const { strings } = visit;
    const page = pageOf(visit);
    const part = { page, per_page: listsOnPages.records };
    const [jobs, schools, skills, certificates] = await Promise.all([
      visit.read('visitors.experience', part),
      visit.read('visitors.education', part),
      visit.read('visitors.skills', { page, per_page: listsOnPages.inLine }),
      visit.read('visitors.certifications', part),
    ]);
    const summaryOf = await summariesOf(visit, described(jobs, schools), 3);
    const isEmpty = [jobs, schools, skills, certificates].every(({ total }) => total === 0);
    return {
      title: pageTitle(strings, strings.cv, page),
      path: withPage(sitePaths.cv, page),
      kind: 'cv',
      description: strings.cvOf(layout.creator),
      data: [await person(visit, layout)],
      main: html`<div class="cv">${opening(layout)}
${entries(strings.experience, jobs.items, (entry) => job(visit, entry, summaryOf(entry)))}
${entries(strings.education, schools.items, (entry) => school(visit, entry, summaryOf(entry)))}
${band(strings.skills, skills.items.length > 0 && skillGroups(strings, skills.items))}
${entries(strings.certificates, certificates.items, (entry) => certificate(visit, entry))}
${when(isEmpty, () => html`<section class="band"><p class="lead">${strings.nothingYet}</p></section>`)}</div>${pager(visit, [page, lastPageOf(jobs, schools, skills, certificates)], { path: sitePaths.cv })}`,
    };
  },
});

/** Jobs and schools as one list for descriptions, jobs first. */
const described = (jobs: OutputOf<'visitors.experience'>, schools: OutputOf<'visitors.education'>) => ({
  items: [...jobs.items, ...schools.items],
  whole: jobs.whole < jobs.items.length ? jobs.whole : jobs.whole + schools.whole,
});

function opening({ creator, profile }: LayoutData): View {
  const { headline, location, email, website, github, linkedin } = profile;
  return html`<div class="opening"><h1>${creator}</h1>
${when(headline, () => html`<p class="lead">${headline}</p>`)}
<p class="links">${when(location, () => html`<span class="soft">${location}</span>`)}
${when(email, () => html`<a href="${mailtoUrl(email)}">${email}</a>`)}
${outLink(website, bareAddress(website))}${outLink(github, bareAddress(github))}${outLink(linkedin, bareAddress(linkedin))}</p></div>`;
}

/** URL without scheme and `www.`. */
const bareAddress = (url: string) => url.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '');

const entries = <T>(name: string, items: readonly T[], view: (item: T) => View): View =>
  band(name, items.length > 0 && each(items, view));

const job = (
  visit: Visit,
  entry: Item<'visitors.experience'>,
  about: View,
): View => html`<article class="entry">
<h3>${entry.title}</h3>
<p class="where">${joined([entry.company, entry.location])}</p>
<p class="when">${datesAt(visit).span(entry.start_date, entry.end_date)}</p>
${about}
${when(entry.bullets.length > 0, () => html`<ul>${each(entry.bullets, (bullet) => html`<li>${bullet}</li>`)}</ul>`)}
${nameList(entry.skills)}
</article>`;

const school = (
  visit: Visit,
  entry: Item<'visitors.education'>,
  about: View,
): View => html`<article class="entry">
<h3>${joined([entry.degree, entry.field], ', ') || entry.institution}</h3>
<p class="where">${when(entry.degree || entry.field, () => html`${entry.institution}`)}</p>
<p class="when">${datesAt(visit).span(entry.start_date, entry.end_date)}</p>
${about}
</article>`;

function certificate(visit: Visit, entry: Item<'visitors.certifications'>): View {
  const { strings } = visit;
  const { partial } = datesAt(visit);
  return html`<article class="entry">
<h3>${entry.name}</h3>
<p class="where">${joined([entry.issuer, entry.credential_id])}${when(entry.credential_url, () => html`${middot}${outLink(entry.credential_url, strings.verify)}`)}</p>
<p class="when">${joined([partial(entry.issue_date), entry.expiry_date && strings.validUntil(partial(entry.expiry_date))])}</p>
</article>`;
}

function skillGroups(strings: SiteStrings, skills: readonly Item<'visitors.skills'>[]): View {
  const groups = [...Map.groupBy(skills, ({ category }) => category)];
  const [[only] = []] = groups;
  if (groups.length === 1 && !only) return html`<p>${skillNames(skills)}</p>`;
  return html`<dl class="skills">${each(
    groups,
    ([category, members]) =>
      html`<div><dt>${category || strings.otherSkills}</dt><dd>${skillNames(members)}</dd></div>`,
  )}</dl>`;
}

const skillNames = (skills: readonly Item<'visitors.skills'>[]): View =>
  each(
    skills,
    ({ name, proficiency }, index) =>
      html`${index > 0 ? ', ' : ''}${name}${when(proficiency, () => html` <small>${proficiency}</small>`)}`,
  );
