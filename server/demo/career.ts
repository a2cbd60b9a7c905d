import type { certification } from '../../shared/contract/resources/certification.ts';
import type { education as educationEntry } from '../../shared/contract/resources/education.ts';
import type { experience as experienceEntry } from '../../shared/contract/resources/experience.ts';
import type { skill } from '../../shared/contract/resources/skill.ts';
import type { Dated } from './dated.ts';

export const experience: Dated<typeof experienceEntry>[] = [
  {
    daysAgo: 30,
    company: 'Marsh & Daughters',
    title: 'Owner, teacher, accounts department',
    location: 'Porto',
    start_date: '2023-09',
    description: 'Courses, reviews and the occasional rescue.',
    bullets: ['Taught 2,300 people to read a query plan', 'Reviewed 140 schemas, married none of them'],
    skills: ['PostgreSQL', 'Teaching', 'TypeScript'],
    sort_order: 1,
  },
  {
    daysAgo: 31,
    company: 'Northwind Labs',
    title: 'Staff engineer',
    location: 'Remote',
    start_date: '2018-03',
    end_date: '2023-08',
    description: 'Led the move to event-driven billing.',
    bullets: ['Cut invoice errors by 90 %', 'Found the eleven invoices', 'Retired the server named Bob'],
    skills: ['TypeScript', 'PostgreSQL', 'Incident response'],
    sort_order: 2,
  },
  {
    daysAgo: 32,
    company: 'Harbour Data',
    title: 'Database engineer',
    location: 'Rotterdam',
    start_date: '2013-06',
    end_date: '2018-02',
    description: 'Kept track of 40,000 containers, all of them blue.',
    bullets: ['Ran 60 PostgreSQL clusters', 'Wrote the runbook that is still pinned to the wall'],
    skills: ['PostgreSQL', 'Linux'],
    sort_order: 3,
  },
  {
    daysAgo: 33,
    company: 'A start-up that shall stay nameless',
    title: 'Chief everything officer',
    start_date: '2011',
    end_date: '2013',
    description: 'We do not speak of the blockchain kettle.',
    visibility: 'private',
    sort_order: 4,
  },
];

export const education: Dated<typeof educationEntry>[] = [
  {
    daysAgo: 30,
    institution: 'University of Porto',
    degree: 'MSc',
    field: 'Computer science',
    start_date: '2009',
    end_date: '2011',
    description: 'Thesis on log-structured storage, defended in a storm.',
    sort_order: 1,
  },
  {
    daysAgo: 31,
    institution: 'Douro Sailing School',
    degree: 'Coastal skipper',
    start_date: '2016-04',
    end_date: '2016-09',
    description: 'Passed on the second try. See the frying pan.',
    sort_order: 2,
  },
];

export const skills: Dated<typeof skill>[] = [
  { daysAgo: 40, name: 'PostgreSQL', category: 'Databases', proficiency: 'expert', sort_order: 1 },
  { daysAgo: 40, name: 'Query tuning', category: 'Databases', proficiency: 'expert', sort_order: 2 },
  { daysAgo: 40, name: 'SQLite', category: 'Databases', proficiency: 'proficient', sort_order: 3 },
  { daysAgo: 40, name: 'TypeScript', category: 'Languages', proficiency: 'expert', sort_order: 4 },
  { daysAgo: 40, name: 'Rust', category: 'Languages', proficiency: 'familiar', sort_order: 5 },
  { daysAgo: 40, name: 'Portuguese', category: 'Languages', proficiency: 'expert', sort_order: 6 },
  { daysAgo: 40, name: 'Incident response', category: 'Craft', proficiency: 'expert', sort_order: 7 },
  { daysAgo: 40, name: 'Teaching', category: 'Craft', proficiency: 'proficient', sort_order: 8 },
  { daysAgo: 40, name: 'Knots', category: 'Sailing', proficiency: 'proficient', sort_order: 9 },
  {
    daysAgo: 40,
    name: 'Steering with cookware',
    category: 'Sailing',
    proficiency: 'familiar',
    visibility: 'unlisted',
    sort_order: 10,
  },
];

export const certifications: Dated<typeof certification>[] = [
  {
    daysAgo: 50,
    name: 'Certified database administrator',
    issuer: 'Database Guild',
    issue_date: '2024-11',
    expiry_date: '2027-11',
    credential_id: 'DG-20417',
    credential_url: 'https://guild.example.com/verify/DG-20417',
    sort_order: 1,
  },
  {
    daysAgo: 300,
    name: 'Marine radio operator, short range',
    issuer: 'Harbour Authority of Leixões',
    issue_date: '2016-09-30',
    credential_id: 'SRC-1182',
    sort_order: 2,
  },
  {
    daysAgo: 700,
    name: 'Associate cloud plumber',
    issuer: 'Cloud Plumbing Institute',
    issue_date: '2019-02',
    expiry_date: '2022-02',
    credential_id: 'CPI-77120',
    credential_url: 'https://plumbing.example.com/CPI-77120',
    sort_order: 3,
  },
];
