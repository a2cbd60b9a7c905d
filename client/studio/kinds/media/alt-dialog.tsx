import { Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { UpdateMedia } from '../../../../shared/contract/features/media.ts';
import { etagOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { copyOf, type MediaFile } from '../../data/media.ts';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { useForm } from '../../forms/use-form.ts';
import { texts } from '../../texts/texts.ts';
import { toast } from '../../ui/toast.tsx';
import { FocusInput } from './focus-input.tsx';

const savedOf = ({ alt, caption, focus }: MediaFile) => ({ values: { alt, caption, focus } });

/** What a picture shows, what stands below it, and what of it stays in sight. */
export default function AltDialog({ file, onClose }: { file: MediaFile; onClose(): void }) {
  const { studio } = useApi();
  const queries = useQueryClient();
  const { id } = file;
  const form = useForm({
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
    onSent: () => {
      void queries.invalidateQueries({ queryKey: ['media'] });
      onClose();
      toast(texts.common.changesSaved);
    },
  });
  return (
    <FormDialog title={texts.media.describe(file.name)} action={texts.common.save} {...{ form, onClose }}>
      <FocusInput
        address={copyOf(file, 800)}
        value={form.values.focus}
        onChange={(focus) => form.set('focus', focus)}
      />
      <Textarea
        label={texts.media.alt}
        description={texts.media.altHelp}
        autosize
        minRows={2}
        maxRows={8}
        value={form.values.alt}
        error={form.problems.alt}
        onChange={({ currentTarget }) => form.set('alt', currentTarget.value)}
        data-autofocus
      />
      <TextInput
        label={texts.media.caption}
        description={texts.media.captionHelp}
        value={form.values.caption}
        error={form.problems.caption}
        onChange={({ currentTarget }) => form.set('caption', currentTarget.value)}
      />
    </FormDialog>
  );
}
