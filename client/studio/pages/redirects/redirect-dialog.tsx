import { Group, Radio, TextInput } from '@mantine/core';
import { CreateRedirect, UpdateRedirect } from '../../../../shared/contract/features/redirects.ts';
import { resources } from '../../../../shared/contract/resources/index.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { wayOf } from '../../forms/form-values.ts';
import { FormDialog } from '../../forms/form-view.tsx';
import { textOf } from '../../forms/input-props.ts';
import { useDialogForm } from '../../forms/use-form.ts';
import { texts } from '../../texts/texts.ts';

export type RedirectRow = OutputOf<ApiClient['studio']['redirects']['get']>;

interface RedirectDialogProps {
  /** Null for one to be made. */
  edited: RedirectRow | null;
  onClose(): void;
}

const nothing = { from: '', to: '', permanent: true };

const valuesOf = ({ from, to, permanent }: RedirectRow) => ({ from, to, permanent });

/** Makes or changes a redirect. */
export function RedirectDialog({ edited, onClose }: RedirectDialogProps) {
  const { redirects } = useApi().studio;
  const form = useDialogForm({
    initial: edited ? valuesOf(edited) : nothing,
    contract: edited ? UpdateRedirect.omit({ id: true }) : CreateRedirect,
    way: wayOf(edited, {
      name: 'redirects',
      valuesOf,
      read: (id) => redirects.get.query({ id }),
      create: (input, options) => redirects.create.mutate(CreateRedirect.parse(input), options),
      update: (input, options) => redirects.update.mutate(UpdateRedirect.parse(input), options),
    }),
    refreshes: ['redirects'],
    onClose,
    done: (made, { from }) => (made ? texts.redirects.added(from) : texts.common.changesSaved),
  });
  const { values, problems, set } = form;
  const words = texts.redirects;
  const address = edited?.collection ? words.ofRecord(resources[edited.collection].name) : words.toHelp;
  return (
    <FormDialog
      title={edited ? words.edit : words.add}
      action={edited ? texts.common.save : words.add}
      {...{ form, onClose }}
    >
      <TextInput {...words.from} placeholder="/2019/05/types" {...textOf(form, 'from')} data-autofocus />
      <TextInput
        label={words.to}
        description={address}
        placeholder="/posts/why-types-pay"
        {...textOf(form, 'to')}
      />
      <Radio.Group
        label={words.permanent}
        description={words.kindsHelp}
        value={String(values.permanent)}
        error={problems.permanent}
        onChange={(value) => set('permanent', value === 'true')}
      >
        <Group gap="lg" mb={6}>
          <Radio size="sm" value="true" label={words.kinds.permanent} />
          <Radio size="sm" value="false" label={words.kinds.temporary} />
        </Group>
      </Radio.Group>
    </FormDialog>
  );
}
