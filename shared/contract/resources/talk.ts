import { labelled, markdown, partialDate, requiredText, text, url, usualFields } from '../fields.ts';
import { defineResource } from '../resource.ts';
import { sharing } from '../sharing.ts';

export const talk = defineResource({
  name: 'talk',
  collection: 'talks',
  description: 'Past and future talks of the creator',
  words: {
    lead: 'Talks that you gave, or will give.',
    begin: 'Begin with the last one: its title, where it was, and a link to slides or recording.',
  },
  fields: {
    title: labelled('Title', requiredText(500, 'Title of the talk', 'Nothing lost: queues you can trust')),
    event: labelled(
      'Where did you give it?',
      text(200, 'Name of the event', 'Backend Days'),
      'The conference, meetup or show.',
    ),
    event_url: labelled(
      'Page of the event',
      url('URL of the event page', 'https://backend-days.example.com'),
    ),
    date: labelled('When?', partialDate('Date of the talk', '2026-05'), 'A year, a month or a day.'),
    location: labelled('In which city?', text(200, 'Location of the event, such as a city', 'Lisbon')),
    description: labelled(
      'What was it about?',
      markdown(50_000, 'Description of the talk', 'How leases and fences keep deliveries exact.'),
    ),
    slides_url: labelled(
      'Where are the slides?',
      url('URL of the slides', 'https://slides.example.com/nothing-lost'),
    ),
    video_url: labelled(
      'Where is the recording?',
      url('URL of the recording', 'https://video.example.com/nothing-lost'),
    ),
    ...usualFields,
    ...sharing,
  },
});
