interface DemoLesson {
  title: string;
  content: string;
  video_url?: string;
}

interface DemoModule {
  /** Title of the course it belongs to. */
  course: string;
  title: string;
  lessons: DemoLesson[];
}

const video = (name: string) => `https://video.example.com/lessons/${name}`;

/** Modules and lessons in their order. Bodies and videos are for the owner alone: no API shows them. */
export const curriculum: DemoModule[] = [
  {
    course: 'PostgreSQL for people who ship',
    title: 'Reading query plans',
    lessons: [
      {
        title: 'The pager goes off',
        content: 'It is 3:12. The dashboard is orange. Open `pg_stat_activity` before you open your mouth.',
        video_url: video('pager'),
      },
      {
        title: 'Nested loops and when they hurt',
        content: 'Start with `explain (analyze, buffers)`. Read the most indented line first.',
        video_url: video('nested-loops'),
      },
      {
        title: 'Exercise: find the lying estimate',
        content: 'One of these five plans expects a single row.',
      },
    ],
  },
  {
    course: 'PostgreSQL for people who ship',
    title: 'Indexes that earn their keep',
    lessons: [
      {
        title: 'Five queries, five indexes',
        content: 'Write down what runs most. Promise nothing to anybody else.',
        video_url: video('five-indexes'),
      },
      { title: 'The column order nobody asked about', content: 'Equality first, range last, luck never.' },
    ],
  },
  {
    course: 'PostgreSQL for people who ship',
    title: 'Locks, without fear',
    lessons: [
      {
        title: 'Adding a column to a table in use',
        content: '`lock_timeout` is the seat belt. Here is the crash test.',
        video_url: video('add-column'),
      },
    ],
  },
  {
    course: 'Webhooks, properly',
    title: 'Sign and verify',
    lessons: [
      { title: 'Raw bytes or nothing', content: 'A body that was parsed and written again is another body.' },
      {
        title: 'Retries with manners',
        content: 'Wait longer each time, carry the same id, and stop.',
        video_url: video('retries'),
      },
    ],
  },
  {
    course: 'Your first API',
    title: 'One resource, five verbs',
    lessons: [{ title: 'Saying what a request may hold', content: 'A strict object is a polite bouncer.' }],
  },
];
