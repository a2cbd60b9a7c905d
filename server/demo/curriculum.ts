interface Lesson {
  title: string;
  content: string;
  video_url?: string;
}

interface Module {
  title: string;
  lessons: Lesson[];
}

/** Curricula of the example courses, by the course's title. Lesson bodies are never read over the API. */
export const curricula: Record<string, Module[]> = {
  'PostgreSQL for people who ship': [
    {
      title: 'The pager goes off',
      lessons: [
        {
          title: 'What a slow query looks like from the outside',
          content: 'Start with the people who wait. Then look at the graph.',
          video_url: 'https://video.example.com/lessons/slow-from-outside',
        },
        {
          title: 'Reading a plan from the inside out',
          content: 'The most indented line first. Everything above it is management.',
          video_url: 'https://video.example.com/lessons/plans',
        },
      ],
    },
    {
      title: 'The goose lands',
      lessons: [
        { title: 'Eight lock modes, as birds', content: 'You will remember the goose.' },
        { title: 'Changing a table while people use it', content: 'Nullable, backfill, validate, lunch.' },
        { title: 'Exercise: 400 million rows', content: 'Bring a sandwich.' },
      ],
    },
    {
      title: 'Indexes, and the courage to drop them',
      lessons: [
        { title: 'Five queries, five indexes', content: 'Name who asks. Then promise.' },
        { title: 'What zero means', content: 'A month of nobody asking is an answer.' },
      ],
    },
  ],
  'Webhooks, properly': [
    {
      title: 'Once, to work',
      lessons: [
        { title: 'One POST, one receiver', content: 'It works. Enjoy the moment.' },
        { title: 'Seven ways it breaks', content: 'It worked.' },
      ],
    },
    {
      title: 'Again, to be trusted',
      lessons: [
        { title: 'Signing bytes, not wishes', content: 'The raw body, and nothing but the raw body.' },
        { title: 'Leases, fences, and kill -9', content: 'Do it live. The audience likes it.' },
      ],
    },
  ],
  'Your first API': [
    {
      title: 'One resource, five verbs',
      lessons: [
        { title: 'Say what a request may hold', content: 'And refuse the rest, politely.' },
        { title: 'The kindest error message', content: 'What happened, what was meant, what to do.' },
      ],
    },
  ],
};
