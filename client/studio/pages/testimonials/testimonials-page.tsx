import { Rating, Switch, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { sitePaths } from '../../../../shared/contract/site-paths.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { useMayWrite } from '../../data/rights.ts';
import { ListTools, Only } from '../../kinds/list/list-tools.tsx';
import { PagedList } from '../../kinds/list/paged-list.tsx';
import { oneOf, useListAddress } from '../../kinds/list/use-list-address.ts';
import { pagesOf, useListPage } from '../../kinds/list/use-list-page.ts';
import { ToSite } from '../../kinds/to-site.tsx';
import { texts } from '../../texts/texts.ts';
import type { TableColumn } from '../../ui/data-table.tsx';
import { Empty } from '../../ui/empty.tsx';
import { IconQuote } from '../../ui/icons.ts';
import { momentColumn } from '../../ui/moment-column.tsx';
import { Screen } from '../../ui/screen.tsx';
import { toast, toastError } from '../../ui/toast.tsx';

type Testimonial = OutputOf<ApiClient['studio']['testimonials']['list']>['items'][number];

/** What people say about the creator. */
export function TestimonialsPage() {
  const { studio } = useApi();
  const { param } = useListAddress();
  const shown = oneOf(['yes', 'no'], param('shown'));
  const list = useListPage(
    pagesOf('testimonials', studio.testimonials.list, {
      q: param('q'),
      approved: shown && shown === 'yes',
    }),
  );
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
        {...{ list, columns }}
        label={texts.testimonials.title}
        empty={
          <Empty
            icon={IconQuote}
            title={texts.testimonials.none}
            lead={texts.testimonials.noneLead}
            action={<ToSite path={sitePaths.testimonials}>{texts.testimonials.toSite}</ToSite>}
          />
        }
      />
    </Screen>
  );
}

const columns: TableColumn<Testimonial>[] = [
  {
    label: texts.testimonials.words,
    cell: ({ content, name, role, company }) => (
      <div style={{ paddingBlock: 10, maxWidth: 620, overflowWrap: 'anywhere' }}>
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
    place: 'state',
    cell: ({ rating }) =>
      rating && (
        <span role="img" aria-label={texts.testimonials.stars(rating)}>
          <Rating value={rating} readOnly size="xs" aria-hidden />
        </span>
      ),
  },
  momentColumn('created', texts.webhooks.when),
  {
    label: texts.testimonials.shown,
    place: 'actions',
    cell: (testimonial) => <Approval testimonial={testimonial} />,
  },
];

/** Only what the owner approves of is shown on the site. */
function Approval({ testimonial: { id, name, approved } }: { testimonial: Testimonial }) {
  const { studio } = useApi();
  const mayApprove = useMayWrite('audience');
  const queries = useQueryClient();
  const approving = useMutation({
    mutationFn: (next: boolean) => studio.testimonials.update.mutate({ id, approved: next }),
    onSuccess: async (_, next) => {
      await queries.invalidateQueries({ queryKey: ['testimonials'] });
      toast(texts.testimonials.approved(name, next), () => approving.mutate(!next));
    },
    onError: toastError,
  });
  return (
    <Switch
      disabled={!mayApprove}
      aria-label={texts.testimonials.show(name)}
      checked={approving.isPending ? approving.variables : approved}
      onChange={({ currentTarget }) => approving.mutate(currentTarget.checked)}
    />
  );
}
