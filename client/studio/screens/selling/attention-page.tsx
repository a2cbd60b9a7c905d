import { Button } from '@mantine/core';
import { formatAmount } from '../../../../shared/contract/currencies.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { ListScreen } from '../../records/list/list-screen.tsx';
import { pagesOf, useListPage } from '../../records/list/use-list-page.ts';
import { texts } from '../../strings/texts.ts';
import { momentColumn, nameColumn, stateColumn } from '../../ui/columns.tsx';
import type { TableColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { IconAlertTriangle, IconExternalLink } from '../../ui/icons.ts';

type AttentionRow = OutputOf<ApiClient['studio']['attention']['list']>['items'][number];

const words = texts.attention;

/** Sales that an owner should look at: disputes, refunds, failed payments and double memberships. */
export default function AttentionPage() {
  const { studio } = useApi();
  return (
    <ListScreen
      {...{ words, columns }}
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
  nameColumn(words.sale, (row) => ({
    first: row.email || words.connection,
    second: priceOf(row) + words.hints[row.reason],
  })),
  momentColumn('at', texts.common.when),
  stateColumn(({ reason, livemode }) => (
    <Dot
      tone={tones[reason]}
      label={livemode ? words.reasons[reason] : texts.offers.tested(words.reasons[reason])}
    />
  )),
  {
    label: texts.common.actions,
    place: 'actions',
    cell: ({ url, email }) =>
      url && (
        <Button
          component="a"
          href={url}
          target="_blank"
          rel="noopener"
          size="compact-xs"
          variant="default"
          aria-label={words.openOf(email)}
          rightSection={<IconExternalLink size={13} />}
        >
          {words.open}
        </Button>
      ),
  },
];
