import { accessTiers } from '../access-tier.ts';
import {
  flag,
  isDraft,
  list,
  markdown,
  money,
  paragraph,
  quantity,
  requiredText,
  slug,
  sortOrder,
  text,
  visibility,
} from '../fields.ts';
import { defineResource } from '../resource.ts';
import { sharing } from '../sharing.ts';

/** A course's modules and lessons are its curriculum, never part of these fields. */
export const course = defineResource({
  name: 'course',
  collection: 'courses',
  description: 'Courses, told by their metadata: lessons are never part of them',
  fields: {
    title: requiredText(200, 'Name of the course', 'PostgreSQL for people who ship'),
    slug: slug('postgresql-for-people-who-ship'),
    description: markdown(
      50_000,
      'What it teaches and to whom',
      'Indexes, locks and plans, from real incidents.',
    ),
    instructor_name: text(200, 'Who teaches it', 'Ada Marsh'),
    instructor_bio: paragraph(5_000, 'About who teaches it', 'Ada has run databases for fifteen years.'),
    access_tier: text(50, 'Who may take it', 'paid', {
      unset: 'free',
      suggestions: accessTiers,
    }),
    price: money('Price, in the currency of the site', 49.5),
    sequential_access: flag('Whether lessons open one after the other'),
    difficulty: text(50, 'How hard it is', 'intermediate', {
      suggestions: ['beginner', 'intermediate', 'advanced'],
    }),
    estimated_hours: quantity('Hours it takes', 6.5),
    tags: list('Topics', ['postgresql']),
    learning_outcomes: list('What a learner can do afterwards', ['Read a query plan']),
    visibility,
    is_draft: isDraft,
    sort_order: sortOrder,
    ...sharing,
  },
});
