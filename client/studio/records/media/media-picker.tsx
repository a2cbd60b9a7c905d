import { Button, Group, Modal, Stack } from '@mantine/core';
import { IconPhoto } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { type MediaFile, positionOf, renditionOf, useMediaFiles } from '../../data/media.ts';
import { strings } from '../../strings/ui-strings.ts';
import { LoadMore } from '../../ui/pager.tsx';
import { Empty, Pending } from '../../ui/pending.tsx';
import classes from './media.module.css';

interface MediaPickerProps {
  /** ID of the chosen image; empty for none. */
  value: string;
  /** Button that uploads another image. */
  upload: ReactNode;
  onChoose(file: MediaFile): void;
  onClose(): void;
}

/** Dialog that lists the site's images to choose one. */
export default function MediaPicker({ value, upload, onChoose, onClose }: MediaPickerProps) {
  return (
    <Modal opened onClose={onClose} title={strings.media.pick} size="xl">
      <Stack>
        <Pictures value={value} onChoose={onChoose} />
        <Group justify="space-between">
          {upload}
          <Button variant="default" onClick={onClose}>
            {strings.common.cancel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Pictures({ value, onChoose }: Pick<MediaPickerProps, 'value' | 'onChoose'>) {
  const pages = useMediaFiles();
  if (!pages.data) return <Pending query={pages} />;
  // Visitors cannot see protected images outside of lessons.
  const images = pages.data.pages
    .flatMap(({ items }) => items)
    .filter((file) => file.width !== null && !file.protected);
  return (
    <>
      {images.length === 0 && (
        <Empty icon={IconPhoto} title={strings.media.noPictures} lead={strings.media.noPicturesLead} />
      )}
      {images.length > 0 && (
        <ul className={classes.grid} data-small>
          {images.map((file) => (
            <li key={file.id}>
              <button
                type="button"
                className={classes.choice}
                aria-label={file.name}
                aria-pressed={file.id === value}
                onClick={() => onChoose(file)}
              >
                <span className={classes.picture}>
                  <img
                    src={renditionOf(file, 400)}
                    alt={file.alt}
                    style={{ objectPosition: positionOf(file) }}
                    loading="lazy"
                    decoding="async"
                  />
                </span>
                <span className={classes.name}>{file.name}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <Group justify="center">
        <LoadMore pages={pages} />
      </Group>
    </>
  );
}
