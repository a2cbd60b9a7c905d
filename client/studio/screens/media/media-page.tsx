import { Box, Group, Skeleton, Text } from '@mantine/core';
import { IconCopy, IconFile, IconLock, IconLockOpen, IconPencil, IconPhoto } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../data/api.tsx';
import { type MediaFile, positionOf, renditionOf, useMediaFiles, viewOf } from '../../data/media.ts';
import { useMayChangeFile } from '../../data/permissions.ts';
import { queryOf } from '../../data/queries.ts';
import AltDialog from '../../records/media/alt-dialog.tsx';
import classes from '../../records/media/media.module.css';
import { UploadButton, useUploads } from '../../records/media/upload-button.tsx';
import { labelOf } from '../../strings/names.ts';
import { strings } from '../../strings/ui-strings.ts';
import { copyText } from '../../ui/browser.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { LoadMore } from '../../ui/pager.tsx';
import { Empty, Pending } from '../../ui/pending.tsx';
import { deletion, RowMenu } from '../../ui/row-menu.tsx';
import { Screen } from '../../ui/screen.tsx';
import { toast, toastReason } from '../../ui/toast.tsx';
import { useDrop } from '../../ui/use-drop.ts';

export default function MediaPage() {
  const uploads = useUploads();
  const start = (files: File[]) => void uploads.start(files);
  const drop = useDrop(start);
  return (
    <section className={classes.place} aria-label={strings.media.title} {...drop.props}>
      <Screen
        title={strings.media.title}
        lead={strings.media.lead}
        actions={<UploadButton isUploading={uploads.progress !== null} onFiles={start} />}
      >
        <Text role="status" fz="sm" c="dimmed" className={classes.progress}>
          {uploads.progress ?? ''}
        </Text>
        <Files />
      </Screen>
      {drop.isOver && <div className={classes.over}>{strings.media.drop}</div>}
    </section>
  );
}

function Files() {
  const remove = useRemoval();
  const protect = useProtection();
  const mayChange = useMayChangeFile();
  const [described, describe] = useState<MediaFile | null>(null);
  const pages = useMediaFiles();
  if (!pages.data) return <Pending query={pages} />;
  const files = pages.data.pages.flatMap(({ items }) => items);
  if (files.length === 0)
    return <Empty icon={IconPhoto} title={strings.media.none} lead={strings.media.noneLead} />;
  return (
    <>
      <ul className={classes.grid}>
        {files.map((file) => (
          <MediaCard
            key={file.id}
            file={file}
            isChangeable={mayChange(file)}
            onDescribe={() => describe(file)}
            onProtect={() => protect(file)}
            onRemove={() => remove(file)}
          />
        ))}
      </ul>
      <Group justify="center">
        <LoadMore pages={pages} />
      </Group>
      {described && <AltDialog file={described} onClose={() => describe(null)} />}
    </>
  );
}

/** Returns a function that deletes a file, after a confirmation that shows where it is used. */
function useRemoval() {
  const { studio } = useApi();
  const queries = useQueryClient();
  const confirm = useConfirm();
  return ({ id, name }: MediaFile) => {
    queries.removeQueries({ queryKey: usesKey(id) });
    confirm({
      title: strings.media.remove(name),
      lead: <Uses id={id} />,
      action: strings.media.removeAction,
      run: () => studio.media.delete.mutate({ id }),
      refreshes: ['media'],
      done: strings.media.removed(name),
    });
  };
}

/** Returns a function that protects a file, or makes it public again, after a confirmation that explains what follows. */
function useProtection() {
  const { studio } = useApi();
  const confirm = useConfirm();
  const { protection } = strings.media;
  return ({ id, name, protected: isProtected }: MediaFile) =>
    confirm({
      title: protection[isProtected ? 'askToRemove' : 'askToAdd'](name),
      lead: protection[isProtected ? 'removeLead' : 'addLead'],
      action: protection[isProtected ? 'remove' : 'add'],
      run: () => studio.media.update.mutate({ id, protected: !isProtected }),
      refreshes: ['media'],
      done: protection[isProtected ? 'removed' : 'added'](name),
      isWanted: true,
    });
}

const usesKey = (id: string) => ['media-uses', id];

function Uses({ id }: { id: string }) {
  const { studio } = useApi();
  const uses = useQuery({
    ...queryOf(usesKey(id), studio.media.uses, { id }),
    // Fetch the uses once per question: while the dialog closes, the file may no longer exist.
    staleTime: 'static',
  });
  const skeleton = <Skeleton component="span" h={18} aria-label={strings.media.looking} />;
  if (!uses.data) return <Pending query={uses} skeleton={skeleton} />;
  if (uses.data.data.length === 0) return strings.media.unused;
  return (
    <>
      {strings.media.used}
      {uses.data.data.map((use) => (
        <span key={`${use.collection} ${use.id}`} style={{ display: 'block', marginBlockStart: 6 }}>
          {labelOf(use.collection)}: {use.title || strings.records.untitled}
        </span>
      ))}
    </>
  );
}

interface MediaCardProps {
  file: MediaFile;
  /** True if the user may change the file. */
  isChangeable: boolean;
  onDescribe(): void;
  onProtect(): void;
  onRemove(): void;
}

function MediaCard({ file, isChangeable, onDescribe, onProtect, onRemove }: MediaCardProps) {
  const { name, url, size, width, height } = file;
  const copy = async () => {
    const address = new URL(url, window.location.origin).href;
    if (await copyText(address)) toast(strings.media.copied);
    else toastReason(strings.media.notCopied(address));
  };
  return (
    <li className={classes.card}>
      <a
        className={classes.picture}
        href={viewOf(file)}
        target="_blank"
        rel="noopener"
        aria-label={`${strings.common.open} ${name}`}
      >
        {width ? (
          <img
            src={renditionOf(file, 0)}
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
              <Box component="span" visibleFrom="sm">{`${strings.media.pixels(width, height)} · `}</Box>
            )}
            {strings.media.bytes(size)}
            {file.protected && ` · ${strings.media.protection.is}`}
          </div>
        </div>
        <RowMenu
          of={name}
          actions={[
            { label: strings.media.copyAddress, icon: IconCopy, run: () => void copy() },
            width && isChangeable && { label: strings.media.altAction, icon: IconPencil, run: onDescribe },
            isChangeable && {
              label: strings.media.protection[file.protected ? 'remove' : 'add'],
              icon: file.protected ? IconLockOpen : IconLock,
              run: onProtect,
            },
            isChangeable && deletion(onRemove),
          ]}
        />
      </div>
    </li>
  );
}
