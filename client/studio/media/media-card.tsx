import { mediaSizeUrl } from '../../../shared/contract/media.ts';
import { texts } from '../texts/texts.ts';
import { copyText } from '../ui/browser.ts';
import { IconCopy, IconFile, IconTrash } from '../ui/icons.ts';
import { RowMenu } from '../ui/row-menu.tsx';
import { say, sayReason } from '../ui/toast.tsx';
import classes from './media.module.css';
import type { MediaFile } from './media-file.ts';

/** One file with what can be done with it. */
export function MediaCard({ file, onRemove }: { file: MediaFile; onRemove(): void }) {
  const { name, url, size, width, height } = file;
  const copy = async () => {
    const address = new URL(url, window.location.origin).href;
    if (await copyText(address)) say(texts.media.copied);
    else sayReason(texts.media.notCopied(address));
  };
  const facts = [width && height ? texts.media.pixels(width, height) : null, texts.media.bytes(size)];
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
          <img src={smallest(file)} alt="" loading="lazy" decoding="async" />
        ) : (
          <IconFile size={36} stroke={1.2} />
        )}
      </a>
      <div className={classes.foot}>
        <div className={classes.words}>
          <div className={classes.name} title={name}>
            {name}
          </div>
          <div className={classes.facts}>{facts.filter(Boolean).join(' · ')}</div>
        </div>
        <RowMenu
          of={name}
          actions={[
            { label: texts.media.copyAddress, icon: IconCopy, run: () => void copy() },
            { label: texts.common.delete, icon: IconTrash, run: onRemove, isDangerous: true },
          ]}
        />
      </div>
    </li>
  );
}

const smallest = (file: MediaFile) => {
  const [width] = file.widths;
  return width === undefined ? file.url : mediaSizeUrl(file, width);
};
