import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { MediaFile } from '../../data/media.ts';
import { useMediaFiles } from '../../data/media.ts';
import { useMayChangeFile } from '../../data/rights.ts';
import AltDialog from '../../kinds/media/alt-dialog.tsx';
import classes from '../../kinds/media/media.module.css';
import { UploadButton } from '../../kinds/media/upload-button.tsx';
import { useUploads } from '../../kinds/media/use-uploads.ts';
import { texts } from '../../texts/texts.ts';
import { Empty } from '../../ui/empty.tsx';
import { IconPhoto } from '../../ui/icons.ts';
import { LoadMore } from '../../ui/load-more.tsx';
import { Pending } from '../../ui/pending.tsx';
import { Screen } from '../../ui/screen.tsx';
import { useDrop } from '../../ui/use-drop.ts';
import { MediaCard } from './media-card.tsx';
import { useRemoval } from './use-removal.tsx';

/** The files of the site. */
export default function MediaPage() {
  const uploads = useUploads();
  const start = (files: File[]) => void uploads.start(files);
  const drop = useDrop(start);
  return (
    <section className={classes.place} aria-label={texts.media.title} {...drop.props}>
      <Screen
        title={texts.media.title}
        lead={texts.media.lead}
        actions={<UploadButton isUploading={uploads.progress !== null} onFiles={start} />}
      >
        <Text role="status" fz="sm" c="dimmed" className={classes.progress}>
          {uploads.progress ?? ''}
        </Text>
        <Files />
      </Screen>
      {drop.isOver && <div className={classes.over}>{texts.media.drop}</div>}
    </section>
  );
}

function Files() {
  const removal = useRemoval();
  const mayChange = useMayChangeFile();
  const [described, describe] = useState<MediaFile | null>(null);
  const pages = useMediaFiles();
  if (!pages.data) return <Pending query={pages} />;
  const files = pages.data.pages.flatMap(({ items }) => items);
  if (files.length === 0)
    return <Empty icon={IconPhoto} title={texts.media.none} lead={texts.media.noneLead} />;
  return (
    <>
      <ul className={classes.grid}>
        {files.map((file) => (
          <MediaCard
            key={file.id}
            file={file}
            isChangeable={mayChange(file)}
            onDescribe={() => describe(file)}
            onRemove={() => removal.ask(file)}
          />
        ))}
      </ul>
      <Group justify="center">
        <LoadMore pages={pages} />
      </Group>
      {removal.dialog}
      {described && <AltDialog file={described} onClose={() => describe(null)} />}
    </>
  );
}
