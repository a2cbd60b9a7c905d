import { markdown, reference, requiredText, sortOrder, url } from '../fields.ts';
import { defineResource } from '../resource.ts';

/** A lesson of a module. Its `content` and `video_url` never leave but to the owner. */
export const lesson = defineResource({
  name: 'lesson',
  collection: 'lessons',
  description: 'Lessons of courses, shown by their titles only',
  partOf: { collection: 'modules', by: 'module_id' },
  fields: {
    module_id: reference('module'),
    title: requiredText(500, 'Title of the lesson', 'Nested loops and when they hurt'),
    content: markdown(500_000, 'Full body', 'Start with `explain analyze`.'),
    video_url: url('Recording of the lesson', 'https://video.example.com/lessons/nested-loops'),
    sort_order: sortOrder,
  },
});
