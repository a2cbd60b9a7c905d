import { Textarea, TextInput } from '@mantine/core';
import { UpdateMedia } from '../../../../shared/contract/features/media.ts';
import { etagOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { copyOf, type MediaFile } from '../../data/media.ts';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { textOf } from '../../forms/text-of.ts';
import { useDialogForm } from '../../forms/use-dialog-form.ts';
import { texts } from '../../texts/texts.ts';
import { FocusInput } from './focus-input.tsx';

const savedOf = ({ alt, caption, focus }: MediaFile) => ({ values: { alt, caption, focus } });

/** What a picture shows, what stands below it, and what of it stays in sight. */
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
    <FormDialog title={texts.media.describe(file.name)} action={texts.common.save} {...{ form, onClose }}>
      <FocusInput
        address={copyOf(file, 800)}
        value={form.values.focus}
        onChange={(focus) => form.set('focus', focus)}
      />
      <Textarea
        {...texts.media.alt}
        autosize
        minRows={2}
        maxRows={8}
        {...textOf(form, 'alt')}
        data-autofocus
      />
      <TextInput {...texts.media.caption} {...textOf(form, 'caption')} />
    </FormDialog>
  );
}
