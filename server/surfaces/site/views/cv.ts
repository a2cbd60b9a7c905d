import { html } from 'hono/html';
import { sitePaths } from '../../../../shared/contract/site-paths.ts';
import { person } from '../machines/json-ld.ts';
import type { OutputOf } from '../procedures.ts';
import { aboutsOf } from './abouts.ts';
import { type Dates, datesAt } from './dates.ts';
import type { Frame } from './frame.ts';
import { htmlPage } from './layout.ts';
import { inOwnOrder } from './own-order.ts';
import { each, joined, middot, outLink, type View, when, wordList } from './parts.ts';

type Item<Name extends string> = OutputOf<Name> extends { data: (infer T)[] } ? T : never;

/** `/cv`: everything about a working life, on paper too. */
export const cv = htmlPage({
  uses: ['experience', 'education', 'skills', 'certifications', 'media'],
  async view(visit, frame) {
    const [experience, education, skills, certifications] = await Promise.all([
      visit.read('v1.experience.list'),
      visit.read('v1.education.list'),
      visit.read('v1.skills.list'),
      visit.read('v1.certifications.list'),
    ]);
    const dates = datesAt(visit);
    const [jobs, schools] = [inOwnOrder(experience.data), inOwnOrder(education.data)];
    const aboutOf = await aboutsOf<Item<'v1.experience.list'> | Item<'v1.education.list'>>(
      visit,
      [...jobs, ...schools],
      3,
    );
    const isEmpty = [experience, education, skills, certifications].every(({ data }) => data.length === 0);
    return {
      title: 'CV',
      path: sitePaths.cv,
      kind: 'cv',
      description: `Curriculum vitae of ${frame.name}`,
      data: [await person(visit, frame)],
      main: html`<div class="cv">${opening(frame)}
${band('Experience', jobs, (entry) => job(entry, dates, aboutOf(entry)))}
${band('Education', schools, (entry) => school(entry, dates, aboutOf(entry)))}
${when(skills.data.length > 0, () => html`<section class="band"><h2>Skills</h2><div>${skillGroups(inOwnOrder(skills.data))}</div></section>`)}
${band('Certificates', inOwnOrder(certifications.data), (entry) => certificate(entry, dates))}
${when(isEmpty, () => html`<section class="band"><p class="lead">Nothing here yet.</p></section>`)}</div>`,
    };
  },
});

function opening({ name, profile }: Frame): View {
  const { headline, location, email, website, github, linkedin } = profile;
  return html`<div class="opening"><h1>${name}</h1>
${when(headline, () => html`<p class="lead">${headline}</p>`)}
<p class="links">${when(location, () => html`<span class="soft">${location}</span>`)}
${when(email, () => html`<a href="mailto:${email}">${email}</a>`)}
${outLink(website, bareAddress(website))}${outLink(github, bareAddress(github))}${outLink(linkedin, bareAddress(linkedin))}</p></div>`;
}

/** An address as people write it. */
const bareAddress = (url: string) => url.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '');

const band = <T>(title: string, entries: readonly T[], view: (entry: T) => View): View =>
  when(
    entries.length > 0,
    () => html`<section class="band"><h2>${title}</h2><div>${each(entries, view)}</div></section>`,
  );

const job = (
  entry: Item<'v1.experience.list'>,
  dates: Dates,
  about: View,
): View => html`<article class="entry">
<h3>${entry.title}</h3>
<p class="where">${joined([entry.company, entry.location])}</p>
<p class="when">${dates.span(entry.start_date, entry.end_date)}</p>
${about}
${when(entry.bullets.length > 0, () => html`<ul>${each(entry.bullets, (bullet) => html`<li>${bullet}</li>`)}</ul>`)}
${wordList(entry.skills)}
</article>`;

const school = (
  entry: Item<'v1.education.list'>,
  dates: Dates,
  about: View,
): View => html`<article class="entry">
<h3>${joined([entry.degree, entry.field], ', ') || entry.institution}</h3>
<p class="where">${when(entry.degree || entry.field, () => html`${entry.institution}`)}</p>
<p class="when">${dates.span(entry.start_date, entry.end_date)}</p>
${about}
</article>`;

const certificate = (
  entry: Item<'v1.certifications.list'>,
  dates: Dates,
): View => html`<article class="entry">
<h3>${entry.name}</h3>
<p class="where">${joined([entry.issuer, entry.credential_id])}${when(entry.credential_url, () => html`${middot}${outLink(entry.credential_url, 'Verify')}`)}</p>
<p class="when">${joined([dates.partial(entry.issue_date), entry.expiry_date && `valid until ${dates.partial(entry.expiry_date)}`])}</p>
</article>`;

function skillGroups(skills: readonly Item<'v1.skills.list'>[]): View {
  const groups = [...Map.groupBy(skills, ({ category }) => category)];
  const [[only] = []] = groups;
  if (groups.length === 1 && !only) return html`<p>${skillNames(skills)}</p>`;
  return html`<dl class="skills">${each(
    groups,
    ([category, members]) => html`<div><dt>${category || 'Other'}</dt><dd>${skillNames(members)}</dd></div>`,
  )}</dl>`;
}

const skillNames = (skills: readonly Item<'v1.skills.list'>[]): View =>
  each(
    skills,
    ({ name, proficiency }, index) =>
      html`${index > 0 ? ', ' : ''}${name}${when(proficiency, () => html` <small>${proficiency}</small>`)}`,
  );
