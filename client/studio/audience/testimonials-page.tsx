import { Rating, Switch, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ApiClient, OutputOf } from '../../sdk/index.ts';
import { useApi } from '../data/api.tsx';
import { texts } from '../texts/texts.ts';
import { createdColumn } from '../ui/created-column.tsx';
import type { Column } from '../ui/data-table.tsx';
import { IconQuote } from '../ui/icons.ts';
import { Screen } from '../ui/screen.tsx';
import { say, sayFailed } from '../ui/toast.tsx';
import { ListTools, Only } from './list-tools.tsx';
import { PagedList } from './paged-list.tsx';
import { oneOf, useAsked } from './use-asked.ts';

type Testimonial = OutputOf<ApiClient['studio']['testimonials']['list']>['items'][number];

/** What people say about the creator. */
export function TestimonialsPage() {
  const { studio } = useApi();
  const { asked } = useAsked();
  const shown = oneOf(['yes', 'no'], asked('shown'));
  return (
    <Screen title={texts.testimonials.title} lead={texts.testimonials.lead}>
      <ListTools label={texts.testimonials.search}>
        <Only
          name="shown"
          label={texts.lists.show}
          all={texts.testimonials.all}
          choices={[
            { value: 'yes', label: texts.testimonials.shown },
            { value: 'no', label: texts.testimonials.waiting },
          ]}
        />
      </ListTools>
      <PagedList
        name="testimonials"
        label={texts.testimonials.title}
        list={studio.testimonials.list}
        asked={{ q: asked('q'), approved: shown && shown === 'yes' }}
        columns={columns}
        empty={{ icon: IconQuote, title: texts.testimonials.none, lead: texts.testimonials.noneLead }}
      />
    </Screen>
  );
}

const columns: Column<Testimonial>[] = [
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
  {
    label: texts.testimonials.shown,
    cell: (testimonial) => <Approval testimonial={testimonial} />,
  },
  createdColumn(texts.webhooks.when, { align: 'end', isDetail: true }),
];

/** Only what the owner approves of is shown on the site. */
function Approval({ testimonial: { id, name, approved } }: { testimonial: Testimonial }) {
  const { studio } = useApi();
  const queries = useQueryClient();
  const approving = useMutation({
    mutationFn: (next: boolean) => studio.testimonials.update.mutate({ id, approved: next }),
    onSuccess: async (_, next) => {
      await queries.invalidateQueries({ queryKey: ['testimonials'] });
      say(texts.testimonials.approved(name, next), () => approving.mutate(!next));
    },
    onError: sayFailed,
  });
  return (
    <Switch
      aria-label={texts.testimonials.show(name)}
      checked={approving.isPending ? approving.variables : approved}
      onChange={({ currentTarget }) => approving.mutate(currentTarget.checked)}
    />
  );
}
