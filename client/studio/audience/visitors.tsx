import { Rating, Text } from '@mantine/core';
import type { ApiClient, OutputOf } from '../../sdk/index.ts';
import { useApi } from '../data/api.tsx';
import { briefly } from '../texts/moments.ts';
import { texts } from '../texts/texts.ts';
import { type Column, TwoLines } from '../ui/data-table.tsx';
import { IconMail, IconQuote } from '../ui/icons.ts';
import { Screen } from '../ui/screen.tsx';
import { PagedList } from './paged-list.tsx';

type Subscriber = OutputOf<ApiClient['studio']['subscribers']['list']>['items'][number];
type Testimonial = OutputOf<ApiClient['studio']['testimonials']['list']>['items'][number];

/** Who gets the newsletter. */
export function SubscribersPage() {
  const { studio } = useApi();
  return (
    <Screen title={texts.subscribers.title} lead={texts.subscribers.lead}>
      <PagedList
        name="subscribers"
        label={texts.subscribers.title}
        list={studio.subscribers.list}
        columns={subscriberColumns}
        empty={{ icon: IconMail, title: texts.subscribers.none, lead: texts.subscribers.noneLead }}
      />
    </Screen>
  );
}

const subscriberColumns: Column<Subscriber>[] = [
  {
    label: texts.subscribers.subscriber,
    cell: ({ email, name }) => <TwoLines first={email} second={name} />,
  },
  { label: texts.subscribers.source, isDetail: true, cell: ({ source }) => source },
  { label: texts.subscribers.since, align: 'end', cell: ({ created }) => briefly(created) },
];

/** What people say about the creator. */
export function TestimonialsPage() {
  const { studio } = useApi();
  return (
    <Screen title={texts.testimonials.title} lead={texts.testimonials.lead}>
      <PagedList
        name="testimonials"
        label={texts.testimonials.title}
        list={studio.testimonials.list}
        columns={testimonialColumns}
        empty={{ icon: IconQuote, title: texts.testimonials.none, lead: texts.testimonials.noneLead }}
      />
    </Screen>
  );
}

const testimonialColumns: Column<Testimonial>[] = [
  {
    label: texts.testimonials.words,
    cell: ({ content, name, role, company }) => (
      <div style={{ paddingBlock: 10, maxWidth: 620 }}>
        <Text fz={14} lh={1.5}>
          {content}
        </Text>
        <Text fz={12.5} c="dimmed" mt={4}>
          {[name, role, company].filter(Boolean).join(' · ')}
        </Text>
      </div>
    ),
  },
  {
    label: texts.testimonials.rating,
    isDetail: true,
    cell: ({ rating }) =>
      rating && (
        <span role="img" aria-label={texts.testimonials.stars(rating)}>
          <Rating value={rating} readOnly size="xs" aria-hidden />
        </span>
      ),
  },
  { label: texts.webhooks.when, align: 'end', isDetail: true, cell: ({ created }) => briefly(created) },
];
