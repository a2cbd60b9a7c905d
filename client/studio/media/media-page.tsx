import { Button, FileButton, Group, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type DragEvent, useRef, useState } from 'react';
import { useApi } from '../data/api.tsx';
import { texts } from '../texts/texts.ts';
import { Empty } from '../ui/empty.tsx';
import { Failed } from '../ui/failed.tsx';
import { IconPhoto, IconUpload } from '../ui/icons.ts';
import { ListSkeleton } from '../ui/list-skeleton.tsx';
import { LoadMore } from '../ui/load-more.tsx';
import { Screen } from '../ui/screen.tsx';
import classes from './media.module.css';
import { MediaCard } from './media-card.tsx';
import { useRemoval } from './use-removal.tsx';
import { useUploads } from './use-uploads.ts';

/** The files of the site. */
export function MediaPage() {
  const uploads = useUploads();
  const [isOver, setOver] = useState(false);
  const drop = {
    onDragOver(event: DragEvent) {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: (event: DragEvent) =>
      !event.currentTarget.contains(asNode(event.relatedTarget)) && setOver(false),
    onDrop(event: DragEvent) {
      event.preventDefault();
      setOver(false);
      uploads.start([...event.dataTransfer.files]);
    },
  };
  const forgetChoice = useRef<() => void>(null);
  const button = (
    <FileButton
      multiple
      resetRef={forgetChoice}
      onChange={(files) => {
        // Or the same file could not be chosen again.
        forgetChoice.current?.();
        uploads.start(files);
      }}
    >
      {(props) => (
        <Button {...props} leftSection={<IconUpload size={16} />} loading={uploads.progress !== null}>
          {texts.media.upload}
        </Button>
      )}
    </FileButton>
  );
  return (
    <section className={classes.place} aria-label={texts.media.title} data-over={isOver} {...drop}>
      <Screen title={texts.media.title} lead={texts.media.lead} actions={button}>
        <Text role="status" fz="sm" c="dimmed" className={classes.progress}>
          {uploads.progress ?? ''}
        </Text>
        <Files />
      </Screen>
      {isOver && <div className={classes.over}>{texts.media.drop}</div>}
    </section>
  );
}

const asNode = (target: EventTarget | null) => (target instanceof Node ? target : null);

function Files() {
  const { studio } = useApi();
  const removal = useRemoval();
  const pages = useInfiniteQuery({
    queryKey: ['media'],
    queryFn: ({ pageParam, signal }) =>
      studio.media.list.query({ page: pageParam, per_page: 48 }, { signal }),
    initialPageParam: 1,
    getNextPageParam: ({ page, per_page, total }) => (page * per_page < total ? page + 1 : undefined),
  });
  if (pages.error && !pages.data) return <Failed error={pages.error} onRetry={pages.refetch} />;
  if (!pages.data) return <ListSkeleton />;
  const files = pages.data.pages.flatMap(({ items }) => items);
  if (files.length === 0)
    return <Empty icon={IconPhoto} title={texts.media.none} lead={texts.media.noneLead} />;
  return (
    <>
      <ul className={classes.grid}>
        {files.map((file) => (
          <MediaCard key={file.id} file={file} onRemove={() => removal.ask(file)} />
        ))}
      </ul>
      <Group justify="center">
        <LoadMore pages={pages} />
      </Group>
      {removal.dialog}
    </>
  );
}
