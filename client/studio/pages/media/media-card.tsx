import { Box } from '@mantine/core';
import { copyOf, type MediaFile, positionOf } from '../../data/media.ts';
import classes from '../../kinds/media/media.module.css';
import { texts } from '../../texts/texts.ts';
import { copyText } from '../../ui/browser.ts';
import { IconCopy, IconFile, IconPencil } from '../../ui/icons.ts';
import { deletion, RowMenu } from '../../ui/row-menu.tsx';
import { toast, toastReason } from '../../ui/toast.tsx';

interface MediaCardProps {
  file: MediaFile;
  /** Whether one may. */
  isChangeable: boolean;
  onDescribe(): void;
  onRemove(): void;
}

export function MediaCard({ file, isChangeable, onDescribe, onRemove }: MediaCardProps) {
  const { name, url, size, width, height } = file;
  const copy = async () => {
    const address = new URL(url, window.location.origin).href;
    if (await copyText(address)) toast(texts.media.copied);
    else toastReason(texts.media.notCopied(address));
  };
  return (
    <li className={classes.card}>
      <a
        className={classes.picture}
        href={url}
        target="_blank"
        rel="noopener"
        aria-label={`${texts.media.open} ${name}`}
      >
        {width ? (
          <img
            src={copyOf(file, 0)}
            alt=""
            style={{ objectPosition: positionOf(file) }}
            loading="lazy"
            decoding="async"
          />
        ) : (
          <IconFile size={36} stroke={1.2} />
        )}
      </a>
      <div className={classes.foot}>
        <div className={classes.words}>
          <div className={classes.name} title={name}>
            {name}
          </div>
          <div className={classes.facts}>
            {width && height && (
              <Box component="span" visibleFrom="sm">{`${texts.media.pixels(width, height)} · `}</Box>
            )}
            {texts.media.bytes(size)}
          </div>
        </div>
        <RowMenu
          of={name}
          actions={[
            { label: texts.media.copyAddress, icon: IconCopy, run: () => void copy() },
            width && isChangeable && { label: texts.media.altAction, icon: IconPencil, run: onDescribe },
            isChangeable && deletion(onRemove),
          ]}
        />
      </div>
    </li>
  );
}
