import { DragDropContext, Draggable, Droppable, type DropResult } from '@hello-pangea/dnd';
import { Button, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { resources } from '../../../../shared/contract/resources/index.ts';
import { useApi } from '../../data/api.tsx';
import { queryOf } from '../../data/query-of.ts';
import { type OwnRecord, recordsOf } from '../../data/records.ts';
import { useRights } from '../../data/rights.ts';
import { isDraft, type Shape, shapeOf, singularOf, titleOf } from '../../data/shape.ts';
import { shownValue } from '../../kinds/list/shown-value.ts';
import { newId } from '../../kinds/new-id.ts';
import { StateBadge } from '../../kinds/state-badge.tsx';
import { partialDay } from '../../texts/moments.ts';
import { capitalised } from '../../texts/names.ts';
import { texts } from '../../texts/texts.ts';
import { DragHandle } from '../../ui/drag-handle.tsx';
import { IconPlus } from '../../ui/icons.ts';
import { nonce } from '../../ui/nonce.ts';
import { Pending } from '../../ui/pending.tsx';
import { Screen } from '../../ui/screen.tsx';
import classes from './cv.module.css';
import { useOrder } from './use-order.ts';

const sections = Object.values<Resource>(resources).filter(({ words }) => words.screen === 'cv');
/** More than a CV ever has are ordered by their position alone. */
const most = 100;

/** What the CV has, in the order that visitors see. */
export default function CvPage() {
  return (
    <Screen narrow title={texts.cv.title} lead={texts.cv.lead}>
      {sections.map((resource) => (
        <Section key={resource.collection} resource={resource} />
      ))}
    </Screen>
  );
}

function Section({ resource }: { resource: Resource }) {
  const { collection, words } = resource;
  const { mayCreate, mayPublish } = useRights(resource);
  const api = useApi();
  const queryKey = ['records', collection, 'cv'];
  const list = useQuery(
    queryOf(queryKey, recordsOf(api, resource).list, { per_page: most, sort: '-created' }),
  );
  const order = useOrder(resource, queryKey);
  const title = capitalised(collection);
  const { items = [], total = 0 } = list.data ?? {};
  const records = order.of(items);
  const drop = ({ source, destination }: DropResult) => {
    if (destination && destination.index !== source.index)
      order.move(records, { from: source.index, to: destination.index });
  };
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
            {texts.records.new(singularOf(resource))}
          </Button>
        )}
      </Group>
      {!list.data && <Pending query={list} />}
      {list.data && total === 0 && (
        <Text fz="sm" c="dimmed" className={classes.none}>
          {words.begin}
        </Text>
      )}
      <DragDropContext onDragEnd={drop} nonce={nonce}>
        <Droppable droppableId={collection}>
          {({ innerRef, droppableProps, placeholder }) => (
            <div ref={innerRef} {...droppableProps} className={classes.rows}>
              {records.map((record, index) => (
                <Row key={record.id} {...{ resource, record, index }} isFixed={total > most || !mayPublish} />
              ))}
              {placeholder}
            </div>
          )}
        </Droppable>
      </DragDropContext>
      {total > most && (
        <Button component={Link} to={`/${collection}`} variant="subtle" size="compact-sm" mt="xs">
          {texts.cv.all(total)}
        </Button>
      )}
    </section>
  );
}

interface RowProps {
  resource: Resource;
  record: OwnRecord;
  index: number;
  isFixed: boolean;
}

function Row({ resource, record, index, isFixed }: RowProps) {
  const shape = shapeOf(resource);
  const name = titleOf(shape, record) || texts.records.untitled;
  return (
    <Draggable draggableId={record.id} index={index} isDragDisabled={isFixed}>
      {(drag, { isDragging }) => (
        <div ref={drag.innerRef} {...drag.draggableProps} className={classes.row} data-dragged={isDragging}>
          {!isFixed && <DragHandle title={name} handle={drag.dragHandleProps} />}
          <Link
            to="/$collection/$id"
            params={{ collection: resource.collection, id: record.id }}
            className={classes.open}
          >
            <span className={classes.name}>{name}</span>
            <span className={classes.about}>{about(shape, record)}</span>
          </Link>
          {(isDraft(record) || record.visibility !== 'public') && (
            <StateBadge isBrief record={record} hasDrafts={shape.hasDrafts} />
          )}
        </div>
      )}
    </Draggable>
  );
}

/** Where it was, and when. */
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
