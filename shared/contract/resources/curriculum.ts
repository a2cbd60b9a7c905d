import { flag, labelled, markdown, ownersOnly, reference, requiredText, sortOrder, url } from '../fields.ts';
import { defineResource } from '../resource.ts';

/** Module of a course's curriculum. Only people who work on the site write it, over RPC. */
export const module = defineResource({
  name: 'module',
  collection: 'modules',
  description: 'Modules of courses',
  labels: {
    lead: 'Parts of your courses.',
    begin: 'A module is a part of the course that contains lessons.',
  },
  partOf: { collection: 'courses', by: 'course_id' },
  fields: {
    course_id: labelled('Course', reference('course'), 'The course that contains it.'),
    title: labelled('Title', requiredText(500, 'Title of the module', 'Reading query plans')),
    sort_order: sortOrder,
  },
});

/** Lesson of a module. Its `content` and `video_url` are returned to people who work on the site, and read by the lesson page. */
export const lesson = defineResource({
  name: 'lesson',
  collection: 'lessons',
  description: 'Lessons of courses; only their titles are public',
  labels: { lead: 'Lessons of your courses.', begin: 'A lesson is a text, a video, or both.' },
  partOf: { collection: 'modules', by: 'module_id' },
  fields: {
    module_id: labelled('Module', reference('module'), 'The part of the course that contains it.'),
    title: labelled('Title', requiredText(500, 'Title of the lesson', 'Nested loops and when they hurt')),
    content: labelled(
      'Content',
      markdown(500_000, 'Full text', 'Start with `explain analyze`.'),
      'Visible only to learners of the course.',
    ),
    video_url: labelled(
      'Video link',
      url('URL of the video of the lesson', 'https://video.example.com/lessons/nested-loops'),
      'Visible only to learners of the course.',
    ),
    is_preview: ownersOnly(
      labelled(
        'Anyone may read this lesson',
        flag('True if everyone can read the lesson while the lessons of its course are published'),
        'A sample of the course, open to everyone.',
      ),
    ),
    sort_order: sortOrder,
  },
});
