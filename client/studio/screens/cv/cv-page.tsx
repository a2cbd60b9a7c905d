import { Button, Group, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { resources } from '../../../../shared/contract/resources/index.ts';
import { useApi } from '../../data/api.tsx';
import { useRights } from '../../data/permissions.ts';
import { queryOf } from '../../data/queries.ts';
import { isDraft, type Shape, shapeOf, singularOf, titleOf } from '../../data/record-shape.ts';
import { newId, type OwnRecord, recordsOf } from '../../data/records.ts';
import { shownValue } from '../../records/list/record-columns.tsx';
import { StateBadge } from '../../records/state-badge.tsx';
import { useOrders } from '../../records/use-orders.ts';
import { capitalised } from '../../strings/names.ts';
import { partialDay } from '../../strings/time-format.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Pending } from '../../ui/pending.tsx';
import { Screen } from '../../ui/screen.tsx';
import { SortableArea, SortableList } from '../../ui/sortable-list.tsx';
import classes from './cv.module.css';

const sections = Object.values<Resource>(resources).filter(({ labels }) => labels.screen === 'cv');
/** Maximum number of entries in a section that can be reordered. A longer section shows this many and links to its list. */
const max = 100;

/** Page with the sections of the CV, in the order in which visitors see them. */
export default function CvPage() {
  return (
    <Screen narrow title={strings.cv.title} lead={strings.cv.lead}>
      {sections.map((resource) => (
        <Section key={resource.collection} resource={resource} />
      ))}
    </Screen>
  );
}

function Section({ resource }: { resource: Resource }) {
  const { collection, labels } = resource;
  const { mayCreate, mayPublish } = useRights(resource);
  const api = useApi();
  const queryKey = ['records', collection, 'cv'];
  const list = useQuery(
    queryOf(queryKey, recordsOf(api, resource).list, { per_page: max, sort: '-created' }),
  );
  const orders = useOrders({
    refreshes: ['records', collection],
    send: (_, ids) => recordsOf(api, resource).reorder.mutate({ ids }),
  });
  const title = capitalised(collection);
  const shape = shapeOf(resource);
  const nameOf = (record: OwnRecord) => titleOf(shape, record) || strings.records.untitled;
  const { items = [], total = 0 } = list.data ?? {};
  // Entries with equal positions stay newest first, as visitors see them. Entries that were never moved have position 0.
  const records = orders.of(
    collection,
    items.toSorted((a, b) => Number(a.sort_order) - Number(b.sort_order)),
  );
  return (
    <section aria-label={title}>
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Title order={2} fz={15}>
          <Link to="/$collection" params={{ collection }} className={classes.title}>
            {title}
          </Link>
        </Title>
        {mayCreate && (
          <Button
            component={Link}
            to={`/${collection}/${newId}`}
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} />}
          >
            {strings.records.new(singularOf(resource))}
          </Button>
        )}
      </Group>
      {!list.data && <Pending query={list} />}
      {list.data && total === 0 && (
        <Text fz="sm" c="dimmed" className={classes.none}>
          {labels.begin}
        </Text>
      )}
      <SortableArea onMove={(list, move) => orders.move(list, records, move)}>
        <SortableList
          name={collection}
          rows={records}
          titleOf={nameOf}
          isFixed={total > max || !mayPublish}
          className={classes.rows}
          rowClassName={classes.row}
        >
          {(record, handle) => (
            <>
              {handle}
              <Link to="/$collection/$id" params={{ collection, id: record.id }} className={classes.open}>
                <span className={classes.name}>{nameOf(record)}</span>
                <span className={classes.about}>{about(shape, record)}</span>
              </Link>
              {(isDraft(record) || record.visibility !== 'public') && (
                <StateBadge isBrief record={record} hasDrafts={shape.hasDrafts} />
              )}
            </>
          )}
        </SortableList>
      </SortableArea>
      {total > max && (
        <Button component={Link} to={`/${collection}`} variant="subtle" size="compact-sm" mt="xs">
          {strings.cv.all(total)}
        </Button>
      )}
    </section>
  );
}

/** Describes an entry by place and dates. */
const about = (shape: Shape, record: OwnRecord) =>
  [
    ...shape.columns.flatMap(([name, field]) =>
      field.kind === 'text' ? [shownValue(record[name], field)] : [],
    ),
    [record.start_date, record.end_date]
      .flatMap((date) => (typeof date === 'string' ? [partialDay(date)] : []))
      .join(' – '),
  ]
    .filter(Boolean)
    .join(' · ');
