import { Button, Group, Input, Skeleton, Text, TextInput } from '@mantine/core';
import { IconPhoto } from '@tabler/icons-react';
import { type ReactNode, useId, useRef, useState } from 'react';
import { useSiteLink } from '../../data/api.tsx';
import { type MediaFile, positionOf, renditionOf, useMediaFile } from '../../data/media.ts';
import { useUploading } from '../../forms/form-context.tsx';
import type { UploadedFile } from '../../forms/upload.ts';
import { codeOf } from '../../strings/errors.ts';
import { strings } from '../../strings/ui-strings.ts';
import { later } from '../../ui/load-on-use.tsx';
import { Failed } from '../../ui/pending.tsx';
import { useDrop } from '../../ui/use-drop.ts';
import classes from './image-input.module.css';
import { UploadButton, useUploads } from './upload-button.tsx';

const MediaPicker = later(() => import('./media-picker.tsx'));
const AltDialog = later(() => import('./alt-dialog.tsx'));

type ImageShape = 'cover' | 'portrait' | 'logo';

interface ImageInputProps {
  label: string;
  description: string;
  error: ReactNode;
  /** ID or URL of an image; empty for none. */
  value: string;
  /** True if the value is a URL, which may belong to another site. */
  isAddress: boolean;
  /** Shape of the preview: wide for a cover, round for a portrait, whole for a logo. The default for URLs is portrait. */
  shape?: ImageShape;
  onChange(id: string): void;
}

/** Input for an image of the site, which can be chosen, uploaded or dropped. */
export function ImageInput(props: ImageInputProps) {
  const { label, description, error, value, isAddress } = props;
  const { shape = isAddress ? 'portrait' : 'cover' } = props;
  const id = useId();
  const [isChoosing, setChoosing] = useState(false);
  const { progress, start } = useUploads();
  const { during } = useUploading();
  const choices = useRef(0);
  const onChange = (to: string) => {
    choices.current += 1;
    props.onChange(to);
  };
  const upload = (files: File[]) => {
    choices.current += 1;
    const choice = choices.current;
    const done = start(files.slice(0, 1));
    during(done);
    // Another image may have been chosen during the upload.
    void done.then(([file]) => file && choices.current === choice && choose(file));
  };
  const linkTo = useSiteLink();
  const choose = (file: UploadedFile) => {
    setChoosing(false);
    onChange(isAddress ? new URL(linkTo(file.url), window.location.origin).href : file.id);
  };
  const chosen = isAddress ? ownIn(value) : value;
  const drop = useDrop(upload);
  const uploadButton = <UploadButton isImage isUploading={progress !== null} onFiles={upload} />;
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      labelProps={{ id }}
      description={description}
      error={error}
      errorProps={{ id: `${id}-error` }}
    >
      <fieldset aria-labelledby={id} className={classes.place} {...drop.props}>
        {value === '' && <MissingImage />}
        {chosen !== '' && <Chosen id={chosen} shape={shape} />}
        {chosen === '' && value !== '' && <div className={classes.empty}>{value}</div>}
        <Group gap="xs" mt={8}>
          <Button variant="default" size="xs" onClick={() => setChoosing(true)}>
            {value === '' ? strings.media.choose : strings.media.change}
          </Button>
          {uploadButton}
          {value !== '' && (
            <Button variant="subtle" color="gray" size="xs" onClick={() => onChange('')}>
              {strings.media.removeImage}
            </Button>
          )}
        </Group>
        {isAddress && (
          <details className={classes.address}>
            <summary>{strings.media.byAddress}</summary>
            <TextInput
              type="url"
              aria-label={strings.media.addressOf(label)}
              placeholder="https://"
              mt={6}
              value={value}
              onChange={({ currentTarget }) => onChange(currentTarget.value)}
            />
          </details>
        )}
        <Text role="status" fz={12.5} c="dimmed" className={classes.progress}>
          {progress ?? ''}
        </Text>
      </fieldset>
      {isChoosing && (
        <MediaPicker
          value={chosen}
          upload={uploadButton}
          onChoose={choose}
          onClose={() => setChoosing(false)}
        />
      )}
    </Input.Wrapper>
  );
}

const MissingImage = () => (
  <div className={classes.empty}>
    <IconPhoto size={22} stroke={1.5} aria-hidden />
    {strings.media.dropPicture}
  </div>
);

/** Returns the ID in the URL of one of the site's images; empty for other URLs. */
const ownIn = (address: string) => /\/media\/([a-z0-9]{15})\//.exec(address)?.[1] ?? '';

/** Preview of an image with its description, which can be edited. */
function Chosen({ id, shape }: { id: string; shape: ImageShape }) {
  const { data: file, error, refetch } = useMediaFile(id);
  if (codeOf(error) === 'not_found') return <div className={classes.empty}>{strings.media.gone}</div>;
  if (error && !file) return <Failed error={error} onRetry={refetch} />;
  if (!file) return <Skeleton className={classes.picture} />;
  return (
    <>
      <img
        className={classes.picture}
        data-shape={shape}
        style={{ objectPosition: positionOf(file) }}
        src={renditionOf(file, 800)}
        alt={file.alt || file.name}
      />
      <Alt file={file} />
    </>
  );
}

function Alt({ file }: { file: MediaFile }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={classes.alt}>
      <Text fz={13} {...(!file.alt && { c: 'dimmed' })}>
        {file.alt || strings.media.noAlt}
      </Text>
      <Button variant="subtle" size="compact-xs" ml={-6} onClick={() => setOpen(true)}>
        {strings.media.altAction}
      </Button>
      {isOpen && <AltDialog file={file} onClose={() => setOpen(false)} />}
    </div>
  );
}
