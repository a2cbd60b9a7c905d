import {
  flag,
  labelled,
  list,
  markdown,
  money,
  ownersOnly,
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

/** Course, without its modules and lessons. Those form the curriculum. */
export const course = defineResource({
  name: 'course',
  collection: 'courses',
  description: 'Courses: metadata only, without lessons',
  labels: {
    lead: 'Your courses, with modules and lessons.',
    begin: 'Start with a title. Modules and lessons come next. No one sees the course before you publish it.',
  },
  fields: {
    title: labelled(
      'Title',
      requiredText(200, 'Title of the course', 'PostgreSQL for people who ship'),
      'The name of the course.',
    ),
    slug: slug('postgresql-for-people-who-ship'),
    description: labelled(
      'Description',
      markdown(50_000, 'Description of the course', 'Indexes, locks and plans, from real incidents.'),
      'Topics and audience of the course. Visible to everyone.',
    ),
    instructor_name: labelled(
      'Instructor',
      text(200, 'Name of the instructor', 'Ada Marsh'),
      'If empty, your name is used.',
    ),
    instructor_bio: labelled(
      'About the instructor',
      paragraph(5_000, 'Biography of the instructor', 'Ada has run databases for fifteen years.'),
    ),
    access_tier: labelled(
      'Access',
      text(50, 'Access tier that is required to take the course', 'paid', {
        unset: 'free',
        choices: accessTierLabels,
      }),
    ),
    price: labelled(
      'Price',
      money('Price, in the currency of the site', 49.5),
      'If empty, no price is shown.',
    ),
    sequential_access: labelled(
      'Lessons in order',
      flag('True if each lesson opens only after the previous one is completed'),
      'A lesson opens when the previous one is done.',
    ),
    lessons_published: ownersOnly(
      labelled(
        'Publish lessons',
        flag('True if learners can read the lessons on the site'),
        'Learners can take the course on your site.',
      ),
    ),
    difficulty: labelled(
      'Difficulty',
      text(50, 'Difficulty', 'intermediate', {
        choices: { beginner: 'Beginner', intermediate: 'Intermediate', advanced: 'Advanced' },
      }),
    ),
    estimated_hours: labelled('Duration in hours', quantity('Estimated duration in hours', 6.5)),
    tags: labelled('Tags', list('Tags', ['postgresql']), 'Topics, one word per tag.'),
    learning_outcomes: labelled('Learning outcomes', list('Learning outcomes', ['Read a query plan'])),
    ...usualFields,
    ...sharing,
  },
});
