import {
  flag,
  labelled,
  list,
  markdown,
  money,
  paragraph,
  quantity,
  requiredText,
  slug,
  text,
  usualFields,
} from '../fields.ts';
import { defineResource } from '../resource.ts';
import { sharing } from '../sharing.ts';
import { accessTierLabels } from './access-tier.ts';

/** A course's modules and lessons are its curriculum, never part of these fields. */
export const course = defineResource({
  name: 'course',
  collection: 'courses',
  description: 'Courses: metadata only, without lessons',
  words: {
    lead: 'What you teach: a page for each, with its modules and lessons.',
    begin: 'Begin with its title. Modules and lessons come next, and nobody sees it before you publish it.',
  },
  fields: {
    title: labelled(
      'Title',
      requiredText(200, 'Title of the course', 'PostgreSQL for people who ship'),
      'What the course is called.',
    ),
    slug: slug('postgresql-for-people-who-ship'),
    description: labelled(
      'Description',
      markdown(50_000, 'Description of the course', 'Indexes, locks and plans, from real incidents.'),
      'What it teaches, and to whom. Everyone reads it, whoever may take the course.',
    ),
    instructor_name: labelled(
      'Who teaches it?',
      text(200, 'Name of the instructor', 'Ada Marsh'),
      'Left empty, it is you.',
    ),
    instructor_bio: labelled(
      'About who teaches it',
      paragraph(5_000, 'Biography of the instructor', 'Ada has run databases for fifteen years.'),
    ),
    access_tier: labelled(
      'Who can take it?',
      text(50, 'Access tier that is required to take the course', 'paid', {
        unset: 'free',
        choices: accessTierLabels,
      }),
    ),
    price: labelled('Price', money('Price, in the currency of the site', 49.5), 'Left empty, none is shown.'),
    sequential_access: labelled(
      'Lessons open one after the other',
      flag('True if each lesson opens only after the previous one is completed'),
      'The next one opens when the one before is done.',
    ),
    difficulty: labelled(
      'How hard is it?',
      text(50, 'Difficulty', 'intermediate', {
        choices: { beginner: 'For beginners', intermediate: 'Intermediate', advanced: 'Advanced' },
      }),
    ),
    estimated_hours: labelled('How many hours does it take?', quantity('Estimated duration in hours', 6.5)),
    tags: labelled('Tags', list('Tags', ['postgresql']), 'What it is about, in a word each.'),
    learning_outcomes: labelled(
      'What can learners do afterwards?',
      list('Learning outcomes', ['Read a query plan']),
    ),
    ...usualFields,
    ...sharing,
  },
});
