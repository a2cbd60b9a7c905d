import { Group, Input, Slider, Textarea, TextInput } from '@mantine/core';
import { useMove } from '@mantine/hooks';
import { type Focus, UpdateMedia } from '../../../../shared/contract/features/media.ts';
import { etagOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { type MediaFile, renditionOf } from '../../data/media.ts';
import { FormDialog } from '../../forms/form-view.tsx';
import { inputOf, textOf } from '../../forms/input-props.ts';
import { useDialogForm } from '../../forms/use-form.ts';
import { strings } from '../../strings/ui-strings.ts';
import classes from './focus-input.module.css';

const savedOf = ({ alt, caption, focus }: MediaFile) => ({ values: { alt, caption, focus } });

/** Dialog for an image's description, caption and focus point. */
export default function AltDialog({ file, onClose }: { file: MediaFile; onClose(): void }) {
  const { studio } = useApi();
  const { id } = file;
  const form = useDialogForm({
    initial: savedOf(file).values,
    contract: UpdateMedia,
    toInput: (values) => ({ id, ...values }),
    way: {
      change: {
        read: async () => {
          const fresh = await studio.media.get.query({ id }, { etag: true });
          return { ...savedOf(fresh), tag: etagOf(fresh) };
        },
        write: (input, options) => studio.media.update.mutate(UpdateMedia.parse(input), options),
      },
    },
    refreshes: ['media'],
    onClose,
  });
  return (
    <FormDialog title={strings.media.describe(file.name)} action={strings.common.save} {...{ form, onClose }}>
      <FocusInput address={renditionOf(file, 800)} {...inputOf(form, 'focus')} />
      <Textarea
        {...strings.media.alt}
        autosize
        minRows={2}
        maxRows={8}
        {...textOf(form, 'alt')}
        data-autofocus
      />
      <TextInput {...strings.media.caption} {...textOf(form, 'caption')} />
    </FormDialog>
  );
}

interface FocusInputProps {
  /** URL of the image. */
  address: string;
  value: Focus | null;
  onChange(focus: Focus): void;
}

/** Input for the point of an image that stays visible when it is cropped, with previews of the crops. */
function FocusInput({ address, value, onChange }: FocusInputProps) {
  const focus = value ?? { x: 50, y: 50 };
  const { x, y } = focus;
  const { ref } = useMove((at) => onChange({ x: Math.round(at.x * 100), y: Math.round(at.y * 100) }));
  return (
    <Input.Wrapper label={strings.media.focus} labelElement="div" description={strings.media.focusHelp}>
      <Group gap="md" mt={6} align="flex-start">
        <div>
          <div ref={ref} className={classes.whole}>
            <img src={address} alt="" draggable={false} />
            <span className={classes.point} style={{ left: `${x}%`, top: `${y}%` }} />
          </div>
          {(['x', 'y'] as const).map((axis) => (
            <Slider
              key={axis}
              mt="xs"
              size="sm"
              thumbLabel={strings.media.fromEdge[axis]}
              label={null}
              value={focus[axis]}
              onChange={(percent) => onChange({ ...focus, [axis]: percent })}
            />
          ))}
        </div>
        {(['wide', 'round'] as const).map((shape) => (
          <img
            key={shape}
            src={address}
            alt=""
            className={classes.cut}
            data-shape={shape}
            style={{ objectPosition: `${x}% ${y}%` }}
          />
        ))}
      </Group>
    </Input.Wrapper>
  );
}
