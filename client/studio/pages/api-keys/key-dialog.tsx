import { TagsInput, TextInput } from '@mantine/core';
import { CreateApiKey, UpdateApiKey } from '../../../../shared/contract/features/api-keys.ts';
import type { Scope } from '../../../../shared/contract/scopes.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { found } from '../../data/records.ts';
import { wayOf } from '../../forms/form-values.ts';
import { FormDialog } from '../../forms/form-view.tsx';
import { inputOf, textOf } from '../../forms/input-props.ts';
import { MomentInput } from '../../forms/moment-input.tsx';
import { useDialogForm } from '../../forms/use-form.ts';
import { texts } from '../../texts/texts.ts';
import { ScopePicker } from './scope-picker.tsx';

export type ApiKey = OutputOf<ApiClient['admin']['apiKeys']['list']>['data'][number];

interface KeyDialogProps {
  /** Null for a key to be made. */
  edited: ApiKey | null;
  onClose(): void;
  /** Gets the full key, which nobody can see again. */
  onCreated(key: string): void;
}

interface KeyValues {
  name: string;
  scopes: Scope[];
  allowed_origins: string[];
  expiry: Date | null;
}

const nothing: KeyValues = { name: '', scopes: [], allowed_origins: [], expiry: null };

/** Makes or changes an API key. */
export function KeyDialog({ edited, onClose, onCreated }: KeyDialogProps) {
  const { admin } = useApi();
  const { update, create, list } = admin.apiKeys;
  const form = useDialogForm<KeyValues, OutputOf<typeof create>>({
    initial: edited ? valuesOf(edited) : nothing,
    contract: edited ? UpdateApiKey.omit({ id: true }) : CreateApiKey,
    way: wayOf(edited, {
      name: 'api-keys',
      valuesOf,
      read: async (id) => found((await list.query()).data, id),
      create: (input, options) => create.mutate(CreateApiKey.parse(input), options),
      update: (input, options) => update.mutate(UpdateApiKey.parse(input), options),
    }),
    refreshes: ['api-keys'],
    onClose,
    done: (made) => {
      if (!made) return texts.common.changesSaved;
      onCreated(made.key);
      return null;
    },
  });
  return (
    <FormDialog
      title={edited ? texts.keys.edit(edited.name) : texts.keys.add}
      action={edited ? texts.common.save : texts.keys.add}
      form={form}
      onClose={onClose}
    >
      <TextInput {...texts.keys.name} {...textOf(form, 'name')} data-autofocus />
      <ScopePicker {...inputOf(form, 'scopes')} />
      <TagsInput
        {...texts.keys.origins}
        placeholder={form.values.allowed_origins.length === 0 ? 'https://ada.example.com' : ''}
        acceptValueOnBlur
        {...inputOf(form, 'allowed_origins')}
      />
      <MomentInput {...texts.keys.expires} {...inputOf(form, 'expiry')} />
    </FormDialog>
  );
}

const valuesOf = ({ name, scopes, allowed_origins, expiry }: ApiKey): KeyValues => ({
  name,
  scopes,
  allowed_origins,
  expiry,
});
