import { labelled, markdown, partialDate, requiredText, text, url, usualFields } from '../fields.ts';
import { defineResource } from '../resource.ts';
import { sharing } from '../sharing.ts';

export const talk = defineResource({
  name: 'talk',
  collection: 'talks',
  description: 'Past and future talks of the creator',
  labels: {
    lead: 'Your past and upcoming talks.',
    begin: 'Start with your latest talk: title, event, and a link to slides or recording.',
  },
  fields: {
    title: labelled('Title', requiredText(500, 'Title of the talk', 'Nothing lost: queues you can trust')),
    event: labelled('Event', text(200, 'Name of the event', 'Backend Days'), 'Conference, meetup or show.'),
    event_url: labelled('Event page', url('URL of the event page', 'https://backend-days.example.com')),
    date: labelled('Date', partialDate('Date of the talk', '2026-05'), 'A year, a month or a day.'),
    location: labelled('City', text(200, 'Location of the event, such as a city', 'Lisbon')),
    description: labelled(
      'Description',
      markdown(50_000, 'Description of the talk', 'How leases and fences keep deliveries exact.'),
    ),
    slides_url: labelled('Slides', url('URL of the slides', 'https://slides.example.com/nothing-lost')),
    video_url: labelled('Recording', url('URL of the recording', 'https://video.example.com/nothing-lost')),
    ...usualFields,
    ...sharing,
  },
});
