import { Rating, Switch, Text } from '@mantine/core';
import { IconQuote } from '@tabler/icons-react';
import { sitePaths } from '../../../../shared/contract/site-paths.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { useMayWrite } from '../../data/permissions.ts';
import { ListScreen, ToSite } from '../../records/list/list-screen.tsx';
import { useOnly } from '../../records/list/list-tools.tsx';
import { pagesOf, useListAddress, useListPage } from '../../records/list/use-list-page.ts';
import { strings } from '../../strings/ui-strings.ts';
import { type TableColumn, timeColumn } from '../../ui/data-table.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';

type Testimonial = OutputOf<ApiClient['studio']['testimonials']['list']>['items'][number];

const labels = strings.testimonials;

export default function TestimonialsPage() {
  const { studio } = useApi();
  const { param } = useListAddress();
  const [shown, byShown] = useOnly('shown', {
    label: strings.lists.show,
    all: strings.lists.states.all,
    choices: { yes: labels.shown, no: labels.waiting },
  });
  const list = useListPage(
    pagesOf('testimonials', studio.testimonials.list, {
      q: param('q'),
      approved: shown && shown === 'yes',
    }),
  );
  return (
    <ListScreen
      {...{ words: labels, list, columns }}
      icon={IconQuote}
      only={[byShown]}
      begin={<ToSite path={sitePaths.testimonials}>{labels.toSite}</ToSite>}
    />
  );
}

const columns: TableColumn<Testimonial>[] = [
  {
    label: labels.words,
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
    label: labels.rating,
    column: 'state',
    cell: ({ rating }) =>
      rating && (
        <span role="img" aria-label={labels.stars(rating)}>
          <Rating value={rating} readOnly size="xs" aria-hidden />
        </span>
      ),
  },
  timeColumn('created', strings.common.when),
  {
    label: labels.shown,
    column: 'actions',
    cell: (testimonial) => <Approval testimonial={testimonial} />,
  },
];

/** Switch that approves a testimonial; only approved ones appear on the site. */
function Approval({ testimonial: { id, name, approved } }: { testimonial: Testimonial }) {
  const { studio } = useApi();
  const mayApprove = useMayWrite('audience');
  const approving = useWrite({
    run: (next: boolean) => studio.testimonials.update.mutate({ id, approved: next }),
    refreshes: ['testimonials'],
    done: (_, next) => toast(labels.approved(name, next), () => approving.mutate(!next)),
  });
  return (
    <Switch
      disabled={!mayApprove}
      aria-label={labels.show(name)}
      checked={approving.isPending ? approving.variables : approved}
      onChange={({ currentTarget }) => approving.mutate(currentTarget.checked)}
    />
  );
}
