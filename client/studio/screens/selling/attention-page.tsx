import { Button } from '@mantine/core';
import { IconAlertTriangle, IconExternalLink } from '@tabler/icons-react';
import { formatAmount } from '../../../../shared/contract/currencies.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { ListScreen } from '../../records/list/list-screen.tsx';
import { pagesOf, useListPage } from '../../records/list/use-list-page.ts';
import { strings } from '../../strings/ui-strings.ts';
import { nameColumn, stateColumn, type TableColumn, timeColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';

type AttentionRow = OutputOf<ApiClient['studio']['attention']['list']>['items'][number];

const labels = strings.attention;

/** Sales that an owner should look at: disputes, refunds, failed payments and double memberships. */
export default function AttentionPage() {
  const { studio } = useApi();
  return (
    <ListScreen
      {...{ words: labels, columns }}
      icon={IconAlertTriangle}
      list={useListPage(pagesOf('attention', studio.attention.list, {}))}
    />
  );
}

const tones = {
  key_broken: 'bad',
  disputed: 'bad',
  blocked: 'bad',
  past_due: 'waiting',
  two_memberships: 'waiting',
  refunded: 'off',
} as const satisfies Record<AttentionRow['reason'], string>;

const priceOf = ({ amount, currency }: AttentionRow) =>
  amount !== null && currency ? `${formatAmount(amount, currency)} · ` : '';

const columns: TableColumn<AttentionRow>[] = [
  nameColumn(labels.sale, (row) => ({
    first: row.email || labels.connection,
    second: priceOf(row) + labels.hints[row.reason],
  })),
  timeColumn('at', strings.common.when),
  stateColumn(({ reason, livemode }) => (
    <Dot
      tone={tones[reason]}
      label={livemode ? labels.reasons[reason] : strings.offers.tested(labels.reasons[reason])}
    />
  )),
  {
    label: strings.common.actions,
    column: 'actions',
    cell: ({ url, email }) =>
      url && (
        <Button
          component="a"
          href={url}
          target="_blank"
          rel="noopener"
          size="compact-xs"
          variant="default"
          aria-label={labels.openOf(email)}
          rightSection={<IconExternalLink size={13} />}
        >
          {labels.open}
        </Button>
      ),
  },
];
