import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { mailingStatuses } from '../../../../shared/contract/features/mailings.ts';
import { useApi } from '../../data/api.tsx';
import { ListTools, Only } from '../../kinds/list/list-tools.tsx';
import { PagedList } from '../../kinds/list/paged-list.tsx';
import { oneOf, useListAddress } from '../../kinds/list/use-list-address.ts';
import { pagesOf, useListPage } from '../../kinds/list/use-list-page.ts';
import { texts } from '../../texts/texts.ts';
import { RowLink, type TableColumn, TwoLines } from '../../ui/data-table.tsx';
import { Empty } from '../../ui/empty.tsx';
import { IconSend } from '../../ui/icons.ts';
import { momentColumn } from '../../ui/moment-column.tsx';
import { Screen } from '../../ui/screen.tsx';
import { lookAgain, type Mailing } from './mailing.ts';
import { MailingState } from './mailing-state.tsx';

const words = texts.newsletters;

/** Posts that were mailed, or will be, the newest first. */
export function NewslettersPage() {
  const { studio } = useApi();
  const { param } = useListAddress();
  const status = oneOf(mailingStatuses, param('status'));
  const pages = pagesOf('mailings', studio.mailings.list, { ...(status && { status: [status] }) });
  const list = useListPage((page) => ({ ...pages(page), refetchInterval: soonest }));
  const write = (
    <Button component={Link} to="/posts">
      {words.toPosts}
    </Button>
  );
  return (
    <Screen title={words.title} lead={words.lead}>
      <ListTools>
        <Only
          name="status"
          label={texts.records.state}
          all={words.anyStatus}
          choices={mailingStatuses.map((value) => ({ value, label: words.statuses[value] }))}
        />
      </ListTools>
      <PagedList
        list={list}
        label={words.title}
        columns={columns}
        empty={<Empty icon={IconSend} title={words.none} lead={words.noneLead} action={write} />}
      />
    </Screen>
  );
}

/** When the list is looked at again, by what changes first in it. */
function soonest(rows: readonly Mailing[]): number | false {
  const times = rows.map(lookAgain).filter((time) => time !== false);
  return times.length > 0 ? Math.min(...times) : false;
}

/** How many got it, or will. */
function reach({ status, recipients, expected, counts }: Mailing): string {
  const isYet = status === 'scheduled' || (status === 'preparing' && recipients === 0);
  if (isYet) return words.expected(expected);
  return recipients === 0 ? words.nobody : words.acceptedOf(counts.accepted, recipients);
}

const columns: TableColumn<Mailing>[] = [
  {
    label: words.subject,
    cell: (mailing) => (
      <TwoLines
        first={
          <RowLink>
            {(className) => (
              <Link to="/newsletters/$id" params={{ id: mailing.id }} className={className}>
                {mailing.subject || texts.records.untitled}
              </Link>
            )}
          </RowLink>
        }
        second={reach(mailing)}
      />
    ),
  },
  momentColumn('send_at', texts.webhooks.when),
  { label: texts.records.state, place: 'state', cell: ({ status }) => <MailingState status={status} /> },
];
