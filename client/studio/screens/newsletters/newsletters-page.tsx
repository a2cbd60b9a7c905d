import { Button } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useApi } from '../../data/api.tsx';
import { ListScreen } from '../../records/list/list-screen.tsx';
import { useStatus } from '../../records/list/list-tools.tsx';
import { pagesOf, useListPage } from '../../records/list/use-list-page.ts';
import { strings } from '../../strings/ui-strings.ts';
import { nameColumn, stateColumn, type TableColumn, timeColumn } from '../../ui/data-table.tsx';
import { lookAgain, type Mailing, MailingState } from './mailing.tsx';

const labels = strings.newsletters;

/** Page with sent and scheduled newsletters, newest first. */
export default function NewslettersPage() {
  const { studio } = useApi();
  const [status, byStatus] = useStatus(labels.statuses);
  const pages = pagesOf('mailings', studio.mailings.list, { ...(status && { status: [status] }) });
  const list = useListPage((page) => ({ ...pages(page), refetchInterval: soonest }));
  const write = (
    <Button component={Link} to="/posts">
      {labels.toPosts}
    </Button>
  );
  return <ListScreen {...{ words: labels, list, columns }} icon={IconSend} begin={write} only={[byStatus]} />;
}

/** Returns the interval until the next fetch: the shortest of all rows. */
function soonest(rows: readonly Mailing[]): number | false {
  const times = rows.map(lookAgain).filter((time) => time !== false);
  return times.length > 0 ? Math.min(...times) : false;
}

/** Describes the number of recipients, or the expected number. */
function reach({ status, recipients, expected, counts }: Mailing): string {
  const isYet = status === 'scheduled' || (status === 'preparing' && recipients === 0);
  if (isYet) return labels.expected(expected);
  return recipients === 0 ? labels.nobody : labels.acceptedOf(counts.accepted, recipients);
}

const columns: TableColumn<Mailing>[] = [
  nameColumn(labels.subject, (mailing) => ({
    to: `/newsletters/${mailing.id}`,
    first: mailing.subject || strings.records.untitled,
    second: reach(mailing),
  })),
  timeColumn('send_at', strings.common.when),
  stateColumn(MailingState),
];
