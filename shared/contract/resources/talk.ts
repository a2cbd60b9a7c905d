import { isDraft, markdown, partialDate, requiredText, sortOrder, text, url, visibility } from '../fields.ts';
import { defineResource } from '../resource.ts';
import { sharing } from '../sharing.ts';

export const talk = defineResource({
  name: 'talk',
  collection: 'talks',
  description: 'Talks the creator gave or will give',
  fields: {
    title: requiredText(500, 'Title of the talk', 'Nothing lost: queues you can trust'),
    event: text(200, 'Where it was given', 'Backend Days'),
    event_url: url('Page of the event', 'https://backend-days.example.com'),
    date: partialDate('When it was given', '2026-05'),
    location: text(200, 'Place', 'Lisbon'),
    description: markdown(50_000, 'What it was about', 'How leases and fences keep deliveries exact.'),
    slides_url: url('Slides', 'https://slides.example.com/nothing-lost'),
    video_url: url('Recording', 'https://video.example.com/nothing-lost'),
    visibility,
    is_draft: isDraft,
    sort_order: sortOrder,
    ...sharing,
  },
});
